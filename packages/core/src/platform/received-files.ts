/** Files that people send: stored in the workspace's `inbox/`, bounded, under a name without path parts (R261). */
import { mkdirSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../lib/errors.ts";
import { replaceFile } from "./files.ts";
import { sha256 } from "./hash.ts";

/** What tools may read there and nobody but us writes. */
export const RECEIVED = "inbox";
const MAX_BYTES = 25 * 1024 * 1024;
const MAX_NAME_CHARS = 100;

/**
 * @returns the workspace-relative path; equal names with other content get a name of their own.
 * @throws RuntimeError `inbox.refused` when the file is too large or `inbox/` is not a directory.
 */
export function storeReceived(workspace: string, name: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES)
    throw new RuntimeError(
      "inbox.refused",
      `The file has ${bytes.length} bytes; at most ${MAX_BYTES} are taken. Send it smaller.`,
    );
  const directory = join(workspace, RECEIVED);
  mkdirSync(directory, { recursive: true });
  if (!lstatSync(directory).isDirectory())
    throw new RuntimeError("inbox.refused", `${RECEIVED}/ in the workspace is not a directory. Remove it.`);
  const stored = `${sha256(bytes).slice(0, 8)}-${plain(name)}`;
  replaceFile(join(directory, stored), bytes);
  return `${RECEIVED}/${stored}`;
}

/** The last part of a path in any system's notation; nothing a shell or terminal would read as more than a name. */
function plain(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  const safe = last
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/^\.+/, "_")
    .slice(-MAX_NAME_CHARS);
  return safe === "" || safe === "_" ? "file" : safe;
}
