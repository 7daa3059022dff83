/**
 * A nanobot home. The places moved over time: sessions beside the configuration (0.1.3), in the workspace (0.1.4 to 0.2),
 * in a folder for each workspace (after 0.3.0); history in HISTORY.md, then in history.jsonl; jobs in a file, and what was
 * changed while nothing ran beside it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { type Json, type JsonObject } from "@margay/core";
import { isInside, isRecord } from "@margay/core/internal";
import { filesIn, isFile, isFolder, nameTheRest, readWorkspace, stem } from "../folder.ts";
import { listOf, parseJson, textOf, valueAt } from "../json.ts";
import { camelKeys, nanobotSettings } from "./nanobot-config.ts";
import { changedJobs, nanobotJobs } from "./nanobot-jobs.ts";
import { readOrSkip } from "../read-or-skip.ts";
import { addSession, marked, MEDIA, picturesOf, type Pictures } from "../sessions.ts";
import { shown } from "../shown.ts";
import { emptySource, type Reason, type ReadOptions, type Source } from "../source.ts";

const NAMESPACE = /^[0-9a-f]{32}$/;
const MEMORY = {
  "memory/MEMORY.md": "MEMORY.md",
  "MEMORY.md": "MEMORY.md",
  "memory/HISTORY.md": "HISTORY.md",
  "HISTORY.md": "HISTORY.md",
} as const;

export function readNanobot(root: string, options: ReadOptions): Source {
  const found = emptySource("nanobot", root);
  const workspace = readConfig(found, options);
  for (const { folder, named } of sessionFolders(root, workspace))
    for (const file of filesIn(found, folder, ".jsonl")) readSession(found, file, { named, workspace }, options);
  for (const folder of [join(root, "cron"), join(workspace, "cron")]) readJobs(found, folder);
  if (isFolder(workspace)) {
    for (const file of filesIn(found, join(workspace, "memory"), "history.jsonl")) readHistory(found, file);
    for (const file of oldHistories(workspace)) {
      const text = readOrSkip(found, "memory", file, () => readFileSync(file, "utf8"));
      if (text !== undefined) found.memories.push({ from: shown(found, file), to: "HISTORY.md", text });
    }
    readWorkspace(workspace, found, { memory: MEMORY, leave: LEFT });
  }
  for (const folder of new Set([root, workspace])) if (isFolder(folder)) nameTheRest(found, folder, whyLeft);
  return found;
}

/** Of the workspace: what is no file of the person. */
const LEFT = ["sessions", "cron", ".git", ".nanobot", "memory/.cursor", "memory/.dream_cursor"];

function whyLeft(path: string): Reason["key"] | undefined {
  if (/(?:^|\/)(?:logs?|runs|history|webui|update)(?:\/|$)|\.log$/.test(path)) return "import.why.view";
  if (/(?:^|\/)(?:\.[^/]*lock|\.workspace|\.nanobot|\.cursor|\.dream_cursor)(?:\/|$)|\.lock$/.test(path))
    return "import.why.marker";
  if (/(?:^|\/)\.git\/$/.test(path)) return "import.why.versions";
  if (/(?:^|\/)(?:[a-z]+-auth|bridge|oauth|matrix-store|weixin|pairing[^/]*)(?:\/|\.json|$)/.test(path))
    return "import.why.login";
  if (/\.(?:bak[^/]*|tmp|corrupt[^/]*)$/.test(path)) return "import.why.copy";
  if (/(?:^|\/)media\//.test(path)) return "import.why.media";
  return undefined;
}

/** The newest first: what an older version left behind is compared with it. */
function sessionFolders(
  root: string,
  workspace: string,
): readonly { readonly folder: string; readonly named: Named }[] {
  const all = join(root, "sessions");
  const spaces = (isFolder(all) ? readdirSync(all) : []).filter((name) => NAMESPACE.test(name)).toSorted();
  return [
    ...spaces.map((name) => ({ folder: join(all, name), named: "encoded" as const })),
    { folder: join(workspace, "sessions"), named: "plain" },
    { folder: all, named: "plain" },
  ];
}

/** How the name of a file says the key: as base64, or with the colon replaced by an underscore. */
type Named = "encoded" | "plain";

function readSession(
  found: Source,
  file: string,
  { named, workspace }: { readonly named: Named; readonly workspace: string },
  options: ReadOptions,
): void {
  const text = readOrSkip(found, "session", file, () => readFileSync(file, "utf8"));
  if (text === undefined) return;
  const pictures = picturesOf(found);
  let title: string | undefined;
  const lines = text.split("\n").map((line) => {
    const row = line.trim() === "" ? undefined : parseJson(line);
    if (!isRecord(row)) return line;
    title ??= textOf(valueAt(row, ["metadata", "title"]));
    return Array.isArray(row[MEDIA]) ? JSON.stringify(withPictures(row, pictures, [found.root, workspace])) : line;
  });
  addSession(found, { from: shown(found, file), key: keyOf(file, named), title }, lines.join("\n"), options, pictures);
}

function keyOf(file: string, named: Named): string {
  const name = stem(file, ".jsonl");
  const decoded = Buffer.from(name, "base64url");
  // The first underscore of a plain name stands for the colon of the key: telegram_42.jsonl.
  return named === "encoded" && decoded.toString("base64url") === name ? decoded.toString() : name.replace("_", ":");
}

/** Paths become parts. A home may have been copied: then the same path below it is meant. */
function withPictures(row: JsonObject, pictures: Pictures, roots: readonly string[]): JsonObject {
  const parts = listOf(row[MEDIA]).map((item): Json => {
    const path = textOf(item);
    if (path === undefined) return item;
    const below = /(?:^|\/)(?:\.nanobot|media)\/(.+)$/.exec(path)?.[1];
    const places = [
      ...(isAbsolute(path) ? [path] : roots.map((root) => resolve(root, path))),
      ...(below === undefined ? [] : roots.flatMap((root) => [join(root, below), join(root, "media", below)])),
    ];
    const place = places.find((each) => roots.some((root) => isInside(root, each)) && isFile(each));
    return (place === undefined ? undefined : pictures.ofFile(place)) ?? item;
  });
  return { ...row, content: marked(row["content"], parts), [MEDIA]: parts };
}

function readJobs(found: Source, folder: string): void {
  const [file, changes] = [join(folder, "jobs.json"), join(folder, "action.jsonl")];
  const read = (path: string): string | undefined =>
    isFile(path) ? readOrSkip(found, "job", path, () => readFileSync(path, "utf8")) : undefined;
  const [text, pending] = [read(file), read(changes)];
  const changed = pending === undefined ? undefined : changedJobs(found, shown(found, changes), pending);
  if (text !== undefined) nanobotJobs(found, shown(found, file), text, changed);
  for (const [id, job] of changed?.added ?? [])
    nanobotJobs(found, shown(found, changes), JSON.stringify({ jobs: [{ ...job, id }] }));
}

/** `memory/history.jsonl`: entries with their time, the same that HISTORY.md had before. */
function readHistory(found: Source, file: string): void {
  const from = shown(found, file);
  const text = readOrSkip(found, "memory", file, () => readFileSync(file, "utf8"));
  if (text === undefined) return;
  const entries: string[] = [];
  const broken: number[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const entry = parseJson(line);
    const content = isRecord(entry) ? entry["content"] : undefined;
    const time = isRecord(entry) ? textOf(entry["timestamp"]) : undefined;
    if (typeof content !== "string" || time === undefined) broken.push(index + 1);
    else if (content.trim() !== "") entries.push(`[${time}] ${content.trim().replaceAll(/\n\s*\n/g, "\n")}`);
  }
  if (entries.length > 0) found.memories.push({ from, to: "HISTORY.md", text: entries.join("\n\n") });
  else if (broken.length === 0) found.skipped.push({ area: "memory", from, reason: { key: "import.why.empty" } });
  for (const number of broken)
    found.skipped.push({
      area: "memory",
      from: `${from} ${String(number)}`,
      reason: { key: "import.why.unreadable", values: { why: "timestamp, content" } },
    });
}

/** HISTORY.md as it was before its entries went to history.jsonl, which keeps the last thousand only. */
function oldHistories(workspace: string): readonly string[] {
  const folder = join(workspace, "memory");
  const names = isFolder(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => /^HISTORY\.md\.bak(?:\.\d+)?$/.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

/** @returns the workspace: the one beside the configuration, also of a copied home; else the configured one. */
function readConfig(found: Source, options: ReadOptions): string {
  const beside = join(found.root, "workspace");
  const file = join(found.root, "config.json");
  if (!isFile(file)) return beside;
  const text = readOrSkip(found, "config", file, () => readFileSync(file, "utf8"));
  if (text === undefined) return beside;
  const raw = parseJson(text);
  if (!isRecord(raw)) {
    const reason = { key: "import.why.unreadable", values: { why: "JSON" } } as const;
    found.skipped.push({ area: "config", from: "config.json", reason });
    return beside;
  }
  const config = camelKeys(raw);
  nanobotSettings(found, config, options);
  const configured = textOf(valueAt(config, ["agents", "defaults", "workspace"]));
  if (isFolder(beside) || configured === undefined) return beside;
  return resolve(dirname(file), configured.replace(/^~(?=\/|$)/, options.userHome));
}
