// A preload: writes each file and folder that this process opens below MARGAY_HOME, and each file of code that it loads, to MARGAY_SEEN.
import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";

const home = process.env.MARGAY_HOME ?? "";
const { appendFileSync } = fs;
const note = (what, path) => appendFileSync(process.env.MARGAY_SEEN ?? "", `${what} ${path}\n`);

for (const holder of [fs, fs.promises])
  for (const name of [
    "readFileSync",
    "openSync",
    "readdirSync",
    "opendirSync",
    "readFile",
    "open",
    "readdir",
    "opendir",
  ]) {
    const original = holder[name];
    if (typeof original !== "function") continue;
    holder[name] = function (path, ...rest) {
      if (String(path).startsWith(home)) note(name.replace("Sync", ""), String(path).slice(home.length + 1));
      return original.call(this, path, ...rest);
    };
  }
syncBuiltinESMExports();
registerHooks({
  load: (url, context, next) => {
    note("load", url);
    return next(url, context);
  },
});
