// A process that dies between the writing of a file and its renaming.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { replaceFile } from "../../src/machine/files/files.ts";

fs.renameSync = () => process.kill(process.pid, "SIGKILL");
syncBuiltinESMExports();
replaceFile(process.argv[2] ?? "", "half of what was to be remembered");
