// The documentation as the program carries it: each file packed once, and a manifest of what the gateway may serve below /help/.
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";

import { filesBelow } from "../freshness.mjs";
import { buildSite } from "./build-site.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
};

/** Builds the pages into `target`; returns a sentence about the result. */
export async function buildHelp(target) {
  let bytes = 0;
  const pack = (folder) => {
    const entries = {};
    for (const path of filesBelow(folder)) {
      const file = relative(folder, path).split(sep).join("/");
      const type = TYPES[extname(file)];
      if (type === undefined) continue; // NOTICE is for whoever has the package
      const content = readFileSync(path);
      const packed = gzipSync(content, { level: 9 });
      bytes += packed.length;
      writeFileSync(`${path}.gz`, packed);
      rmSync(path);
      const entry = {
        gz: `${file}.gz`,
        type,
        immutable: file.startsWith("assets/"),
        etag: createHash("sha256").update(content).digest("base64url").slice(0, 22),
      };
      entries[`/help/${file}`] = entry;
      if (/(?:^|\/)index\.html$/.test(file)) entries[`/help/${file.slice(0, -"index.html".length)}`] = entry;
    }
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(entries));
  };
  // Not in `dist`: whoever packs the program meanwhile would take half of it along.
  const pages = await buildSite(target, pack, join(target, `../../.dist-help-${process.pid}`));
  return `${pages} pages, ${(bytes / 1e6).toFixed(2)} MB packed`;
}
