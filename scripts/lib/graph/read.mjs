// Who imports whom, types included: a map from each file of the tree to what its imports lead to.
import { existsSync, globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

const CODE = /\.(?:[cm]?[jt]s|tsx)$/;
const CONDITIONS = ["margay-source", "types", "import", "node", "default"];

/**
 * @returns {Map<string, { to: string, kind: "local" | "core" | "npm" | "npm-no-pkg" | "unresolved", runs: boolean }[]>} Paths from the tree;
 * a built-in as `node:NAME`, a package as `node_modules/NAME/…`.
 */
export function readGraph(tree, folders) {
  const resolve = resolver(tree);
  const files = globSync(
    folders.map((folder) => `${folder}/**/*`),
    { cwd: tree, exclude: isOutside },
  );
  const code = files.filter((file) => CODE.test(file) && !isOutside(file));
  const importsOf = (file) =>
    [...specifiers(tree, file)].map(([specifier, runs]) => ({ ...resolve(file, specifier), runs }));
  return new Map(
    code.map((file) => [file, importsOf(file).filter(({ to }) => to.startsWith("node_modules/") || !isOutside(to))]),
  );
}

function isOutside(path) {
  return /(?:^|\/)(?:node_modules|dist|fixtures|\.dist-[^/]*)(?:\/|$)/.test(path);
}

/** A wire shape that the build of the pages writes down (form-schemas.mjs): nothing of its file runs. */
const FORM = "virtual:form/";

/**
 * All that a file imports: statements, `import()`, and `import("…")` in a type, which is not in the parser's record.
 * @returns Each with whether it is there when the program runs: a statement of nothing but types is not.
 */
function specifiers(tree, file) {
  const text = readFileSync(join(tree, file), "utf8");
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const written = [
    ...module.staticImports.map(({ moduleRequest, entries }) => [moduleRequest.value, !areTypes(entries)]),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap((entry) => (entry.moduleRequest == null ? [] : [[entry.moduleRequest.value, !entry.isType]])),
    ...module.dynamicImports
      .map(({ moduleRequest: { start, end } }) => text.slice(start, end))
      .flatMap((argument) => (/^(["'])[^"'$]+\1$/.test(argument) ? [[argument.slice(1, -1), true]] : [])),
  ];
  const named = [...text.matchAll(/\bimport\(\s*(["'])([^"'$]+)\1/g)].map(([, , specifier]) => specifier);
  const found = new Map(named.map((specifier) => [specifier, false]));
  for (const [specifier, runs] of written)
    found.set(specifier, (runs && !specifier.startsWith(FORM)) || found.get(specifier) === true);
  return found;
}

function areTypes(entries) {
  return entries.length > 0 && entries.every(({ isType }) => isType);
}

function resolver(tree) {
  const manifests = new Map(
    globSync(["package.json", "{packages,plugins}/*/package.json"], { cwd: tree }).map((path) => [
      dirname(path),
      JSON.parse(readFileSync(join(tree, path), "utf8")),
    ]),
  );
  const ours = new Map([...manifests].map(([folder, manifest]) => [manifest.name, { folder, manifest }]));

  return (from, written) => {
    const specifier = written.replace(/\?\w+$/, "");
    if (isBuiltin(specifier)) return { to: `node:${specifier.replace(/^node:/, "")}`, kind: "core" };
    if (specifier.startsWith(".") || specifier.startsWith(FORM)) {
      const to = specifier.startsWith(".")
        ? join(dirname(from), specifier)
        : join("packages/app/src/features", specifier.slice(FORM.length).replace(/#\w+$/, ""));
      return { to, kind: existsSync(join(tree, to)) ? "local" : "unresolved" };
    }
    const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    const own = ours.get(name);
    if (own !== undefined) {
      const target = condition(own.manifest.exports?.[`.${specifier.slice(name.length)}`]);
      if (target === undefined) return { to: specifier, kind: "unresolved" };
      const to = join(own.folder, target);
      return { to, kind: existsSync(join(tree, to)) ? "local" : "unresolved" };
    }
    const folder = [...manifests.keys()]
      .filter((one) => one === "." || from.startsWith(`${one}/`))
      .sort()
      .at(-1);
    const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifests.get(folder) ?? {};
    const listed = { ...dependencies, ...devDependencies, ...peerDependencies, ...optionalDependencies };
    const isThere = [folder ?? ".", "."].some((at) =>
      [name, `@types/${name}`].some((one) => existsSync(join(tree, at, "node_modules", one))),
    );
    const kind = !isThere ? "unresolved" : name in listed || `@types/${name}` in listed ? "npm" : "npm-no-pkg";
    return { to: `node_modules/${specifier}${specifier === name ? "/" : ""}`, kind };
  };
}

/** What an entry of `exports` leads to in our own workspace. */
function condition(entry) {
  if (typeof entry === "string" || entry === undefined) return entry;
  const name = CONDITIONS.find((one) => one in entry);
  return name === undefined ? undefined : condition(entry[name]);
}

/** The sets of files that can all reach each other, of two files and more (Tarjan). */
export function cycles(graph) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const open = new Set();
  const found = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    open.add(file);
    for (const { to } of graph.get(file) ?? []) {
      if (!graph.has(to)) continue;
      if (!order.has(to)) visit(to);
      if (open.has(to)) low.set(file, Math.min(low.get(file), low.get(to)));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    for (const one of group) open.delete(one);
    if (group.length > 1) found.push(new Set(group));
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** Everything that a file leads to, over any number of files. @param running Only by imports that are there when the program runs. */
export function reachableFrom(graph, start, running = false) {
  const seen = new Set([start]);
  for (const file of seen) for (const { to, runs } of graph.get(file) ?? []) if (runs || !running) seen.add(to);
  seen.delete(start);
  return seen;
}
