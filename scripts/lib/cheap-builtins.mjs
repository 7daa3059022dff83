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
        // What is required or imported at first use is lazy already.
        if (kind !== "import-statement" || !isBuiltin(id)) return null;
        const name = id.replace(/^node:/, "");
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

/** Commander imports it for a feature we don't use; loading it costs as much as reading the configuration. */
function lazyFunctions(id, names) {
  const functions = names.map(
    (key) => `export const ${key} = (...args) => process.getBuiltinModule(${id}).${key}(...args);`,
  );
  return [...functions, `export default { ${names.join(", ")} };`].join("\n");
}
