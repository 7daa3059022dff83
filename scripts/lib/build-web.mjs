// The browser UI: vite builds it, everything is compressed once here, and a manifest says what the gateway may serve.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { formSchemas } from "./form-schemas.mjs";
import { filesBelow } from "./freshness.mjs";
import { notice } from "./notice.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};
/** gzip (W§12): what the page needs before a message can be typed; `reading`: that, and what draws the messages of a chat. */
const BUDGET = { js: 130_000, css: 25_000, reading: 165_000 };

/** What every page uses is one file: each file more would be a name in what is loaded first. Large parts that few use stay apart. */
const KIT = {
  includeDependenciesRecursively: false,
  groups: [
    {
      name: "panel-kit",
      // With its words and its forms: each would be a file of its own, which is asked for with it every time.
      test: /\/web\/(models\/agent-field|texts\/panels(?:-common)?\.(?:en\.|zh\.)?ts|ui\/(?:schema-form|form-)|panel-kit\/(?!api|drafts|document|editor|diff|look-fields|css|panels))/,
    },
    {
      name: "chat-kit",
      test: /\/web\/(chat\/(remedies\/|own\/(own-message|edit-own|texts)|feed\/(answer-footer|answer-again|to-memory)|changes\/undo-files|calls\/approval-(card|facts))|preview\/(file-cards|written-files|kinds|texts))/,
    },
  ],
};

/** All that is loaded before one can type, as one file: each file more is a request, and on a slow machine milliseconds. */
function firstFile() {
  const first = new Set();
  return {
    group: { name: (id) => (first.has(id) ? "first" : null), priority: 1 },
    plugin: {
      name: "first-file",
      buildEnd() {
        const add = (id) => {
          if (first.has(id)) return;
          first.add(id);
          for (const next of this.getModuleInfo(id)?.importedIds ?? []) add(next);
        };
        for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry === true) add(id);
      },
    },
  };
}

/** Builds `web` into `target`, through a folder beside it; returns a sentence about the result. */
export async function buildWeb(web, target) {
  const { build, defaultClientConditions } = await import("vite");
  const staging = `${target}-${process.pid}`;
  const common = {
    root: web,
    configFile: false,
    logLevel: "warn",
    resolve: { conditions: ["margay-source", ...defaultClientConditions] },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    define: { "process.env.NODE_ENV": '"production"' },
  };
  const modulePreload = { polyfill: false, resolveDependencies: withoutFirst };
  const outside = { outDir: staging, emptyOutDir: false, target: "es2022", modulePreload };
  try {
    rmSync(staging, { recursive: true, force: true });
    const modules = [];
    const start = await bootScript(build, common);
    const diagram = existsSync(join(web, "markdown/diagram-frame.ts"))
      ? await diagramFrame(build, common, web, staging, modules)
      : "";
    const preview = existsSync(join(web, "preview/preview-frame.ts"))
      ? await previewFrame(build, common, web, staging)
      : "";
    const first = firstFile();
    if (existsSync(join(web, "push/push-worker.ts"))) await pushWorker(build, common, web, staging);
    const page = await build({
      ...common,
      define: {
        ...common.define,
        "import.meta.env.MARGAY_DIAGRAM": JSON.stringify(diagram),
        "import.meta.env.MARGAY_PREVIEW": JSON.stringify(preview),
      },
      plugins: [formSchemas(join(web, "../features")), withBootScript(start), first.plugin],
      build: {
        ...outside,
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 1_200,
        reportCompressedSize: false,
        rolldownOptions: { output: { codeSplitting: { ...KIT, groups: [first.group, ...KIT.groups] } } },
      },
    });
    modules.push(...[page].flat().flatMap(({ output }) => output.flatMap((chunk) => chunk.moduleIds ?? [])));
    const entries = compressAll(staging);
    writeFileSync(join(staging, "NOTICE"), notice([...new Set(modules)]));
    const size = firstLoad(staging, entries);
    writeFileSync(join(staging, "manifest.json"), JSON.stringify(entries));
    mkdirSync(target, { recursive: true });
    renameSync(target, `${staging}-old`);
    renameSync(staging, target);
    return `${Object.keys(entries).length} files, to chat ${kB(size.js)} of JS (in Chinese ${kB(size.chinese)}, to read messages ${kB(size.reading)}) and ${kB(size.css)} of CSS (gzip)`;
  } finally {
    rmSync(staging, { recursive: true, force: true });
    rmSync(`${staging}-old`, { recursive: true, force: true });
  }
}

/** What every page has from the start: its name, in what is loaded first, would be asked for by nobody. */
const FIRST = /\/(?:first|index)-[\w-]{8}\.js$/;

function withoutFirst(_file, dependencies, { hostType }) {
  return hostType === "html" ? dependencies : dependencies.filter((path) => !FIRST.test(path));
}

/** Theme and language before the first paint: a classic script, because modules wait for the document. */
async function bootScript(build, common) {
  return alone(build, common, join(common.root, "boot.ts"));
}

/** One classic script of all that `entry` imports. */
async function alone(build, common, entry) {
  const lib = { entry, formats: ["iife"], name: "alone" };
  const output = await build({ ...common, publicDir: false, build: { write: false, target: "es2022", lib } });
  return [output].flat()[0].output[0].code;
}

function withBootScript(code) {
  return {
    name: "boot-script",
    buildStart() {
      this.emitFile({ type: "asset", name: "boot.js", source: code });
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((name) => /(^|\/)boot-[^/]*\.js$/.test(name));
        return html.replace(/(<meta charset[^>]*>)/, `$1\n    <script src="/${file}"></script>`);
      },
    },
  };
}

/** Mermaid in one classic script: the frame has an opaque origin, for which modules would need CORS. */
async function diagramFrame(build, common, web, staging, modules) {
  const output = await build({
    ...common,
    publicDir: false,
    build: {
      write: false,
      target: "es2022",
      chunkSizeWarningLimit: 8_000,
      lib: { entry: join(web, "markdown/diagram-frame.ts"), formats: ["iife"], name: "diagram" },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const { code, moduleIds } = [output].flat()[0].output[0];
  modules.push(...moduleIds);
  const name = `diagram-${createHash("sha256").update(code).digest("base64url").slice(0, 8)}.js`;
  mkdirSync(join(staging, "assets"), { recursive: true });
  writeFileSync(join(staging, "assets", name), code);
  const html = `<!doctype html><meta charset="utf-8"><title>diagram</title><script src="/assets/${name}"></script>`;
  writeFileSync(join(staging, "assets/diagram.html"), html);
  return "/assets/diagram.html";
}

/** What is shown in it has its scripts inside, and so has the frame: it may load nothing at all, not even from here. */
async function previewFrame(build, common, web, staging) {
  const code = await alone(build, common, join(web, "preview/preview-frame.ts"));
  if (/<\/script/i.test(code)) throw new Error("The script of the preview frame would end in the middle of itself.");
  mkdirSync(join(staging, "assets"), { recursive: true });
  const html = `<!doctype html><meta charset="utf-8"><title>preview</title><script>${code}</script>`;
  writeFileSync(join(staging, "assets/preview.html"), html);
  return "/assets/preview.html";
}

/** The service worker, one classic script: its address is the same in all builds, and what it may do is below its folder. */
async function pushWorker(build, common, web, staging) {
  const code = await alone(build, common, join(web, "push/push-worker.ts"));
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, "push-worker.js"), code);
}

/** What is larger is shipped once, packed: the package has a bound, and whoever takes no gzip gets it unpacked. */
const ONCE_BYTES = 1_000_000;

/** Path → what the gateway sends for it. `file`, `br` and `gz` are relative to the manifest. */
function compressAll(folder) {
  const entries = {};
  for (const path of filesBelow(folder)) {
    const file = relative(folder, path).split(sep).join("/");
    const bytes = readFileSync(path);
    const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
    const entry = {
      file,
      type: TYPES[extname(file)] ?? "application/octet-stream",
      immutable: /-[\w-]{8}\.\w+$/.test(file) && file.startsWith("assets/"),
      etag: hash,
    };
    if (bytes.length > ONCE_BYTES) {
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      rmSync(path);
      Object.assign(entry, { file: undefined, gz: `${file}.gz` });
    } else if (bytes.length > 512 && extname(file) !== ".png") {
      const br = brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      });
      writeFileSync(`${path}.br`, br);
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      Object.assign(entry, { br: `${file}.br`, gz: `${file}.gz` });
    }
    entries[file === "index.html" ? "/" : `/${file}`] = entry;
  }
  return entries;
}

/**
 * What `index.html` names, added up, and the texts of those who read Chinese; then what reads Markdown, which is fetched after
 * the first picture. A build over the budget fails; `--any-size`: of sources that hold more than is shipped.
 */
function firstLoad(folder, entries) {
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const bytesOf = (path) => readFileSync(join(folder, entries[path].gz ?? entries[path].file)).length;
  const first = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  const sum = (paths) => paths.reduce((bytes, path) => bytes + bytesOf(path), 0);
  const js = sum(first.filter((path) => !path.endsWith(".css")));
  const css = sum(first.filter((path) => path.endsWith(".css")));
  const chinese = js + bytesOf(chunkNamed(entries, "chinese"));
  const markdown = withImports(folder, chunkNamed(entries, "markdown-view")).filter((path) => !first.includes(path));
  const size = { js, css, chinese, reading: chinese + sum(markdown) };
  for (const [kind, bytes] of [
    ["js", chinese],
    ["css", css],
    ["reading", size.reading],
  ])
    if (bytes > BUDGET[kind] && !process.argv.includes("--any-size"))
      throw new Error(`The first load (${kind}) is ${kB(bytes)} gzip; the budget is ${kB(BUDGET[kind])}.`);
  return size;
}

/** The one chunk that is made of the module of this name. */
function chunkNamed(entries, name) {
  const found = Object.keys(entries).filter((path) => new RegExp(`^/assets/${name}-[\\w-]{8}\\.js$`).test(path));
  if (found.length !== 1) throw new Error(`"${name}" of the pages is no chunk of its own any more.`);
  return found[0];
}

/** A chunk and all that it imports from the start. */
function withImports(folder, path, seen = new Set()) {
  if (seen.has(path)) return [...seen];
  seen.add(path);
  for (const [, name] of readFileSync(join(folder, path), "utf8").matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g))
    withImports(folder, `/assets/${name}`, seen);
  return [...seen];
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
