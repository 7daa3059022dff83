// A bundler plugin: Node's own modules by getBuiltinModule. `import` from one reads all that it exports, and among that are
// getters that load much more: `node:util`, `node:process` and `node:fs` alone cost each start 8 ms.
import { isBuiltin } from "node:module";

const PREFIX = "\0builtin:";

export function cheapBuiltins() {
  return {
    name: "cheap-builtins",
    resolveId: {
      order: "pre",
      handler(id, importer, { kind }) {
        // The bundler's own runtime is loaded before everything that this plugin makes.
        if (importer?.includes("rolldown") === true && importer.startsWith("\0")) return null;
        if (!isBuiltin(id)) return null;
        const name = id.replace(/^node:/, "");
        // What is required or imported at first use is lazy already, unless it is required at the top.
        if (kind !== "import-statement" && !(name === "child_process" && packageOf(importer) === "commander"))
          return null;
        // Its streams are made when they are read: one who needs them must not make them for everybody.
        const reader = name === "process" ? `?${packageOf(importer)}` : "";
        return { id: `${PREFIX}${name}${reader}`, moduleSideEffects: false };
      },
    },
    load: {
      handler(id) {
        return id.startsWith(PREFIX)
          ? { code: moduleOf(id.slice(PREFIX.length).replace(/\?.*$/, "")), moduleSideEffects: false }
          : null;
      },
    },
  };
}

function packageOf(importer) {
  return /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(importer ?? "")?.[1] ?? "";
}

/** Each name is read by itself: the bundler drops those that nobody imports. */
function moduleOf(name) {
  const id = JSON.stringify(`node:${name}`);
  if (name === "child_process") return lazyFunctions(id, ["spawn", "spawnSync", "execSync", "execFileSync"]);
  if (name === "fs/promises") return promised(id);
  if (name === "zlib") return lazyFunctions(id, functionsOf(name));
  const exported = Object.keys(process.getBuiltinModule(`node:${name}`)).filter(
    (key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default",
  );
  return [
    `const builtin = /* @__PURE__ */ process.getBuiltinModule(${id});`,
    "const read = (name) => builtin[name];",
    ...exported.map(
      (key) => `const $${key} = /* @__PURE__ */ read(${JSON.stringify(key)}); export { $${key} as ${key} };`,
    ),
    "export default builtin;",
  ].join("\n");
}

/** What is loaded at its first call: commander imports child_process for a feature we don't use, and few starts compress. */
function lazyFunctions(id, names) {
  const functions = names.map(
    (key) => `export const ${key} = (...args) => process.getBuiltinModule(${id}).${key}(...args);`,
  );
  return [...functions, `export default { ${names.join(", ")} };`].join("\n");
}

function functionsOf(name) {
  return Object.entries(process.getBuiltinModule(name)).flatMap(([key, value]) =>
    typeof value === "function" && /^[a-z]/.test(key) ? [key] : [],
  );
}

/**
 * Its callbacks as promises: `node:fs/promises` brings the module of terminals along, for a method of file handles. What gives
 * handles or iterators comes from there, when it is called.
 */
function promised(id) {
  const exported = Object.keys(process.getBuiltinModule("node:fs/promises")).filter((key) => key !== "constants");
  const callbacks = new Set(
    [
      "access",
      "appendFile",
      "chmod",
      "copyFile",
      "cp",
      "lstat",
      "mkdir",
      "mkdtemp",
      "readFile",
      "readdir",
      "readlink",
    ].concat([
      "realpath",
      "rename",
      "rm",
      "rmdir",
      "stat",
      "statfs",
      "symlink",
      "truncate",
      "unlink",
      "utimes",
      "writeFile",
    ]),
  );
  return [
    "const fs = /* @__PURE__ */ process.getBuiltinModule('node:fs');",
    "const promisify = /* @__PURE__ */ process.getBuiltinModule('node:util').promisify;",
    `const late = (name) => (...args) => process.getBuiltinModule(${id})[name](...args);`,
    ...exported.map((key) =>
      callbacks.has(key)
        ? `const $${key} = /* @__PURE__ */ promisify(fs.${key}); export { $${key} as ${key} };`
        : `const $${key} = /* @__PURE__ */ late(${JSON.stringify(key)}); export { $${key} as ${key} };`,
    ),
    "export const constants = fs.constants;",
  ].join("\n");
}
