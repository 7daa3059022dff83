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
      `margay needs Node ${NEEDED.join(".")} or newer and this is ${process.version}: install it from https://nodejs.org and run margay again.\n`,
    );
    process.exitCode = 1;
  } else {
    runWith(node, process.execArgv);
  }
} else if (fs.existsSync(`${bin}/../dist/main.js`)) {
  builtin("module").enableCompileCache(cacheDirectory());
  await import("../dist/main.js");
} else if (process.execArgv.some((flag) => /^(-C|--conditions)[= ]?margay-source$/.test(flag))) {
  await import("../src/main.ts");
} else {
  runWith(process.execPath, [...process.execArgv, "--conditions=margay-source"]); // a checkout that was not built yet
}

function newEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The Node of the devDependency `node`, searched from this file upward. */
function findNode() {
  const path = builtin("path");
  for (let folder = bin; ; folder = path.dirname(folder)) {
    const candidate = path.join(
      folder,
      "node_modules",
      "node",
      "bin",
      process.platform === "win32" ? "node.exe" : "node",
    );
    if (fs.existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
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
