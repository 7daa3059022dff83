// Files of a home that stands for one another program wrote, and what became of each of them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Item {
  readonly area: string;
  readonly from: string;
  readonly to?: string;
  readonly status: string;
  readonly reason?: string;
  readonly notes?: readonly string[];
}

/** Lists are JSON lines, objects are JSON. */
export function write(root: string, files: Readonly<Record<string, string | Uint8Array | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytesOf(content));
  }
}

function bytesOf(content: string | Uint8Array | object): string | Uint8Array {
  if (typeof content === "string" || content instanceof Uint8Array) return content;
  if (!Array.isArray(content)) return JSON.stringify(content, undefined, 2);
  return content.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A picture that is one: a pixel in PNG, told apart by what stands behind its end. */
export function pixel(name: string): Uint8Array {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  return Buffer.concat([Buffer.from(png, "base64"), Buffer.from(name)]);
}

/** Files below `root` that the report does not name and that are not kept as a picture: each is one that was lost silently. */
export function unnamed(root: string, items: readonly Item[], home: string): readonly string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(root, path)).isFile(),
  );
  return files.filter((path) => {
    const named = items.some(
      ({ from, area }) =>
        from === path ||
        from.startsWith(`${path} `) ||
        (from.endsWith("/") && path.startsWith(from)) ||
        (area === "skill" && path.startsWith(`${from}/`)),
    );
    return !named && !existsSync(blobPath(home, readFileSync(join(root, path))));
  });
}

export function blobPath(home: string, bytes: Uint8Array): string {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return join(home, "blobs", hash.slice(0, 2), hash);
}
