# cmake -D OUT=<file.cpp> -D HEADER=<its header> -D TEXTS=<name;file;name;file...> -P EmbedText.cmake
# writes the texts into a C++ file that defines the constants declared in the header.

file(WRITE "${OUT}.new" "#include \"${HEADER}\"\n\nnamespace adacvar {\n")
while(TEXTS)
  list(POP_FRONT TEXTS name file)
  file(READ "${file}" text)
  # Would end the element of a page that holds a script.
  string(REPLACE "</script" "<\\/script" text "${text}")
  file(APPEND "${OUT}.new" "const std::string_view ${name} = R\"adacvar_text(${text})adacvar_text\";\n")
endwhile()
file(APPEND "${OUT}.new" "}  // namespace adacvar\n")
file(RENAME "${OUT}.new" "${OUT}")
