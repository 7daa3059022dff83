#!/usr/bin/env node
// Starts margay on the Node it needs: plain JavaScript without imports, so that Node 20 runs it and --version costs nothing.
// Node before 20.16 has no getBuiltinModule; a static import of node:fs and its like would cost every start a few milliseconds.
const require = process.getBuiltinModule ? undefined : (await import("node:module")).createRequire(import.meta.url);
const builtin = (name) => require?.(`node:${name}`) ?? process.getBuiltinModule(`node:${name}`);
const NEEDED = [24, 15]; // module.enableCompileCache, type stripping and node:sqlite without flags or warnings

const bin = import.meta.dirname ?? builtin("path").dirname(builtin("url").fileURLToPath(import.meta.url));
const fs = builtin("fs");
const wanted = process.argv.length === 3 ? process.argv[2] : "";

if (wanted === "--version" || wanted === "-V") {
  process.stdout.write(`${JSON.parse(fs.readFileSync(`${bin}/../package.json`, "utf8")).version}\n`);
} else if (!newEnough()) {
  const node = findNode();
  if (node === undefined) {
    process.stderr.write(
      `margay needs Node ${NEEDED.join(".")} or newer and this is ${process.version}: install it from https://nodejs.org and run margay again, or let npm bring one for margay alone: npx -p node@24 -p margay margay\n`,
    );
    process.exitCode = 1;
  } else {
    runWith(node, process.execArgv);
  }
} else if (fs.existsSync(`${bin}/../dist/main.js`)) {
  process.env.MARGAY_COMMAND ??= typedAs(); // in texts, in place of `margay`
  builtin("module").enableCompileCache(cacheDirectory());
  await import("../dist/main.js");
} else if (process.execArgv.some((flag) => /^(-C|--conditions)[= ]?margay-source$/.test(flag))) {
  await import("../src/main.ts");
} else {
  runWith(process.execPath, [...process.execArgv, "--conditions=margay-source"]); // a checkout that was not built yet
}

function newEnough(version = process.versions.node) {
  const [major, minor] = version.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** Another Node of this machine that will do: the npm package `node` from here upward, then what version managers keep, then PATH. */
function findNode() {
  const path = builtin("path");
  const program = process.platform === "win32" ? "node.exe" : "node";
  for (let folder = bin; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", "node", "bin", program);
    if (fs.existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) break;
  }
  return (
    managedNode() ??
    pathFolders()
      .map((folder) => path.join(folder, program))
      .find(says)
  );
}

/** The newest of nvm, fnm, volta, mise and asdf, which name a folder after the version in it. */
function managedNode() {
  const { join } = builtin("path");
  const { env } = process;
  const home = env.HOME || builtin("os").homedir();
  const data = env.XDG_DATA_HOME || join(home, ".local/share");
  const places = [
    [join(env.NVM_DIR || join(home, ".nvm"), "versions/node"), "bin/node"],
    [join(env.FNM_DIR || join(data, "fnm"), "node-versions"), "installation/bin/node"],
    [join(env.VOLTA_HOME || join(home, ".volta"), "tools/image/node"), "bin/node"],
    [join(env.MISE_DATA_DIR || join(data, "mise"), "installs/node"), "bin/node"],
    [join(env.ASDF_DATA_DIR || join(home, ".asdf"), "installs/nodejs"), "bin/node"],
  ];
  return places
    .flatMap(([folder, program]) =>
      namesIn(folder).map((name) => [name.replace(/^v/, ""), join(folder, name, program)]),
    )
    .filter(([version, program]) => /^\d+\.\d+\.\d+$/.test(version) && newEnough(version) && fs.existsSync(program))
    .sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }))
    .at(-1)?.[1];
}

function namesIn(folder) {
  try {
    return fs.readdirSync(folder);
  } catch {
    return []; // no such manager here
  }
}

/** Whether a program says that it is a Node that will do. */
function says(program) {
  if (!fs.existsSync(program) || fs.realpathSync(program) === fs.realpathSync(process.execPath)) return false;
  const { stdout } = builtin("child_process").spawnSync(program, ["--version"], { encoding: "utf8", timeout: 5000 });
  return newEnough(stdout?.trim().replace(/^v/, "") || "0.0");
}

function pathFolders() {
  const { delimiter, isAbsolute } = builtin("path");
  return (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
}

/** What this person types for `margay`: npx finds what is installed in a project, or what it fetched itself. */
function typedAs() {
  const { basename, dirname, join } = builtin("path");
  const modules = dirname(dirname(bin));
  if (basename(modules) !== "node_modules") return "margay"; // a checkout; npm start says so itself
  // Installed with npm -g: PREFIX/lib/node_modules beside PREFIX/bin, on Windows PREFIX/node_modules below PREFIX.
  const near = process.platform === "win32" ? dirname(modules) : join(dirname(dirname(modules)), "bin");
  const file = process.platform === "win32" ? "margay.cmd" : "margay";
  // npm and npx put node_modules/.bin before PATH while they run something: no shell finds it there.
  const folders = [
    ...(basename(dirname(modules)) === "lib" || near === dirname(modules) ? [near] : []),
    ...pathFolders(),
  ];
  return folders.some((folder) => !/node_modules[\\/]\.bin$/.test(folder) && fs.existsSync(join(folder, file)))
    ? "margay"
    : "npx margay";
}

/** Becomes the parent of the real process: same terminal, same signals, same end. */
function runWith(node, flags) {
  const child = builtin("child_process").spawn(node, [...flags, process.argv[1], ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"]) {
    process.on(signal, () => {
      // Ctrl-C and Ctrl-\ reach the child from the terminal itself; passing them on would make one key press two.
      if (process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT")) return;
      child.kill(signal);
    });
  }
  child.on("error", (error) => {
    process.stderr.write(`${node} could not be started (${error.message}): run npm install again.\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** A cache of our own: the default one lies in the shared temporary directory, where others could plant code for us. */
function cacheDirectory() {
  const base = process.env.XDG_CACHE_HOME || `${builtin("os").homedir()}/.cache`;
  return `${base}/margay/compile`;
}
