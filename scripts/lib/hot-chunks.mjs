// A bundler plugin: the chunks that a start runs become scripts, each with a module of its name that hands out what it exports.
// Node keeps what V8 made of a module before it ran, so each start compiles each function it calls anew; of a script we can keep
// what V8 made of it afterwards (packages/app/src/chunk-loader.ts, decision 0097). What comes out is the same program.
import { createHash } from "node:crypto";
import { isBuiltin } from "node:module";

import { asAscii } from "./ascii.mjs";

/** @param isHot Whether a chunk is one of them. @param loader Where the modules find the loader, from the folder of the chunks. */
export function hotChunks(isHot, loader) {
  return {
    name: "hot-chunks",
    generateBundle(_options, bundle) {
      const scripts = new Map();
      const take = (chunk) => {
        if (scripts.has(chunk.fileName)) return;
        scripts.set(chunk.fileName, undefined);
        // Node's own modules are no files of ours.
        for (const file of chunk.imports) if (!isBuiltin(file)) take(bundle[file]);
      };
      const all = Object.values(bundle).filter(({ type }) => type === "chunk");
      all.filter(isHot).forEach(take);
      for (const name of scripts.keys()) {
        refuseChanging(bundle[name], (id) => this.getModuleInfo(id)?.code ?? "");
        scripts.set(name, asScript(bundle[name], { program: this.parse(bundle[name].code), scripts, bundle }));
      }
      // They name each other, so one hash names them all: who is given code that V8 kept must be this code.
      const hash = createHash("sha256")
        .update([...scripts.values()].map(({ script }) => script).join(""))
        .digest("base64url");
      const fileOf = (name) => name.replace(/\.js$/, `-${hash.slice(0, 8)}.cjs`);
      for (const [name, { script, names }] of scripts) {
        const source = script.replace(NAMED, (_, other) => fileOf(other));
        this.emitFile({ type: "asset", fileName: fileOf(name), source });
        bundle[name].code = asModule(fileOf(name), names, loader);
      }
    },
  };
}

/** How a script names another one until all are made. */
const named = (file) => `hot-chunk:${file}`;
const NAMED = /hot-chunk:([\w.-]+\.js)/g;

/** What was exported stays what it was. */
function refuseChanging({ moduleIds = [] }, codeOf) {
  // An enum of TypeScript is a variable that is filled at once.
  const changes = /^export\s+(?:let|var)\s+(\w+)\b(?!;\s*\(function \(\1\))/m;
  const changing = moduleIds.filter((id) => changes.test(codeOf(id)));
  if (changing.length > 0) throw new Error(`hot-chunks: ${changing.join(", ")} exports what changes later.`);
}

/** What a script is given; no code of ours or of a library has such names. */
const GIVEN = /\b__(?:chunk|load|meta)\b/;

/** A chunk as a function that is given its imports and returns its exports. */
function asScript({ fileName, code }, { program, scripts, bundle }) {
  if (GIVEN.test(code)) throw new Error(`hot-chunks: ${fileName} has a name that the loader gives.`);
  const edits = [];
  const names = [];
  for (const node of program.body) {
    if (node.type === "ImportDeclaration") edits.push([node, requiring(node)]);
    else if (node.type === "ExportNamedDeclaration" && node.source === null && node.declaration === null) {
      names.push(...node.specifiers.map(({ local, exported }) => [nameOf(exported), local.name]));
      edits.push([node, ""]);
    } else if (node.type.startsWith("Export")) throw new Error(`hot-chunks: ${fileName} has a ${node.type}.`);
  }
  visit(program.body, (node, inside) => {
    if (!inside && (node.type === "AwaitExpression" || node.await === true))
      throw new Error(`hot-chunks: ${fileName} waits at its top.`);
    if (node.type === "MetaProperty" && node.meta.name === "import") edits.push([node, "__meta"]);
    if (node.type === "ImportExpression") {
      const again = handedOn(bundle[fileIn(node.source)], scripts);
      // A script has no way of its own to import: the loader, in the same folder, does it.
      const { start } = node;
      edits.push(again === undefined ? [{ start, end: start + "import".length }, "__load"] : [node, again]);
    }
  });
  const body = edits
    .sort(([one], [other]) => other.start - one.start)
    .reduce((text, [{ start, end }, by]) => text.slice(0, start) + by + text.slice(end), code);
  const given = names.map(([exported, local]) => `${exported}:${local}`);
  return {
    // The loader reads a byte as a character.
    script: asAscii(`(function(__chunk,__load,__meta){"use strict";${body}\nreturn{${given.join(",")}}})\n`),
    names: names.map(([name]) => name),
  };
}

function requiring({ specifiers, source: { value } }) {
  const from = isBuiltin(value)
    ? `process.getBuiltinModule(${JSON.stringify(value)})`
    : `__chunk(${JSON.stringify(named(value.replace("./", "")))})`;
  if (specifiers.length === 0) return `${from};`;
  const [first] = specifiers;
  if (first.type !== "ImportSpecifier") return `const ${first.local.name}=${from};`;
  return `const{${specifiers.map(({ imported, local }) => `${nameOf(imported)}:${local.name}`).join(",")}}=${from};`;
}

/** A chunk without code of its own gives names of another one: importing it is a file for nothing when that is a script. */
function handedOn(chunk, scripts) {
  if (chunk === undefined || scripts.has(chunk.fileName) || chunk.moduleIds.length > 0) return undefined;
  const [, imported, file, exported] =
    /^import\{([^}]*)\}from"\.\/([^"]+)";export\{([^}]*)\};?\s*$/.exec(chunk.code) ??
    /^export\{([^}]*)\}from"\.\/([^"]+)";?\s*$/.exec(chunk.code)?.toSpliced(3, 0, undefined) ??
    [];
  if (!scripts.has(file)) return undefined;
  const pairs = (list) => list.split(",").map((item) => item.trim().split(/\s+as\s+/));
  const local = new Map(pairs(imported).map(([name, own = name]) => [own, name]));
  const names =
    exported === undefined
      ? pairs(imported).map(([name, own = name]) => `${own}:given.${name}`)
      : pairs(exported).map(([own, name = own]) => `${name}:given.${local.get(own)}`);
  return `Promise.resolve().then(()=>{const given=__chunk(${JSON.stringify(named(file))});return{${names.join(",")}}})`;
}

function fileIn(source) {
  const text = source.type === "TemplateLiteral" ? source.quasis[0]?.value.cooked : source.value;
  return String(text).replace("./", "");
}

/** Exported names may be words of the language: `in`, `do`. */
function asModule(file, names, loader) {
  return [
    `import{chunk}from${JSON.stringify(loader)};`,
    `const{${names.map((name, at) => `${name}:_${at}`).join(",")}}=chunk(${JSON.stringify(file)},import.meta);`,
    `export{${names.map((name, at) => `_${at} as ${name}`).join(",")}};`,
    "",
  ].join("\n");
}

function nameOf(node) {
  return node.name ?? node.value;
}

/** @param inside A function: what waits there is not the top of the file. */
function visit(node, see, inside = false) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) return node.forEach((one) => visit(one, see, inside));
  if (node.type !== undefined) see(node, inside);
  const within = inside || /Function/.test(node.type ?? "");
  for (const value of Object.values(node)) visit(value, see, within);
}
