// npm run docs [-- --out DIR] [--serve [--port N]]: the documentation as static pages that work below every path.
import { createReadStream, statSync } from "node:fs";
import { extname, join, normalize, resolve } from "node:path";
import { parseArgs } from "node:util";

import { onNode24, root, say } from "./lib/toolchain.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
};

const { values } = parseArgs({
  options: { out: { type: "string" }, serve: { type: "boolean" }, port: { type: "string", default: "18799" } },
});
await onNode24(import.meta.url);
process.chdir(root);
const { buildSite } = await import("./lib/site/build-site.mjs");
const out = resolve(values.out ?? "dist-docs");
const started = performance.now();
const pages = await buildSite(out);
say(`built ${pages} pages in ${((performance.now() - started) / 1000).toFixed(1)} s: ${out}`);
if (values.serve) await serve();

/** A preview on this machine. */
async function serve() {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://127.0.0.1").pathname);
    const file = join(out, normalize(path.endsWith("/") ? `${path}index.html` : path));
    if (!file.startsWith(out) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end("There is no such page.\n");
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain; charset=utf-8" });
    createReadStream(file).pipe(response);
  });
  server.listen(Number(values.port), "127.0.0.1", () => say(`http://127.0.0.1:${server.address().port}/`));
}
