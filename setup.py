"""Builds the extension module by CMake; everything else is in pyproject.toml.

ADACVAR_BUILD_DIR names a CMake build folder to use, with the settings it has.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def version():
    """The one in CMakeLists.txt, where it is written once."""
    return re.search(r"project\(adacvar VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        given = os.environ.get("ADACVAR_BUILD_DIR")
        folder = Path(given or self.build_temp).resolve()
        if not given:
            self.configure(folder)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        build = ["cmake", "--build", folder, "--target", "adacvar_python", "--parallel", jobs]
        subprocess.run([str(word) for word in build], check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        built = folder / "python" / "adacvar"
        for module in (built / target.name, built / target.name.replace("_adacvar", "_trees")):
            if module.exists():  # trees are built where XGBoost is found
                self.copy_file(str(module), str(target.parent / module.name))

    def configure(self, folder):
        off = ("TESTS", "PROGRAM", "EXAMPLES", "BENCHMARKS", "DEEP")
        command = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"]
        command += [f"-DADACVAR_BUILD_{part}=OFF" for part in off]
        command += ["-DADACVAR_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        subprocess.run(command, check=True)


setup(version=version(), ext_modules=[Extension("adacvar._adacvar", [])], cmdclass={"build_ext": CMakeBuild})
