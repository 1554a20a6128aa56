# cmake -D OUT=<file.cpp> -D CHART=<chart.min.js> -D DIR=<folder of the page's files> -P EmbedText.cmake
# writes the texts of src/report/page_assets.hpp into a C++ file.

function(embed name file)
  file(READ "${file}" text)
  # Would end the element that holds the script.
  string(REPLACE "</script" "<\\/script" text "${text}")
  file(APPEND "${OUT}.new" "const std::string_view ${name} = R\"adacvar_text(${text})adacvar_text\";\n")
endfunction()

file(WRITE "${OUT}.new" "#include \"report/page_assets.hpp\"\n\nnamespace adacvar {\n")
embed(kChartScript "${CHART}")
embed(kChartLicence "${DIR}/chart_licence.txt")
embed(kPageScript "${DIR}/page.js")
embed(kPageStyle "${DIR}/page.css")
file(APPEND "${OUT}.new" "}  // namespace adacvar\n")
file(RENAME "${OUT}.new" "${OUT}")
