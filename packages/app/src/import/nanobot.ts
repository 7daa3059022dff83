/** A nanobot home: `config.json`, `workspace/`, `sessions/*.jsonl`, `cron/jobs.json`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addSession, isFile, isFolder, readWorkspace, sessionFiles, stem } from "./folder.ts";
import { isObject, parseJson, textOf, valueAt } from "./json.ts";
import { camelKeys, nanobotSettings } from "./nanobot-config.ts";
import { nanobotJobs } from "./nanobot-jobs.ts";
import { readOrSkip } from "./read-or-skip.ts";
import { shown } from "./shown.ts";
import { emptySource, type ReadOptions, type Source } from "./source.ts";

export function readNanobot(root: string, options: ReadOptions): Source {
  const found = emptySource("nanobot", root);
  const workspace = readConfig(found, options);
  // Later versions moved sessions and jobs into the workspace.
  for (const folder of [join(root, "sessions"), join(workspace, "sessions")])
    for (const file of sessionFiles(found, folder)) {
      // The first underscore of the name stands for the colon of the key: telegram_42.jsonl.
      const place = { from: shown(found, file), key: stem(file).replace("_", ":") };
      const text = readOrSkip(found, "session", file, () => readFileSync(file, "utf8"));
      if (text !== undefined) addSession(found, place, text, options);
    }
  for (const file of [join(root, "cron", "jobs.json"), join(workspace, "cron", "jobs.json")])
    if (isFile(file)) {
      const text = readOrSkip(found, "job", file, () => readFileSync(file, "utf8"));
      if (text !== undefined) nanobotJobs(found, shown(found, file), text);
    }
  if (isFolder(workspace))
    readWorkspace(workspace, found, {
      memory: {
        "memory/MEMORY.md": "MEMORY.md",
        "memory/HISTORY.md": "HISTORY.md",
        "MEMORY.md": "MEMORY.md",
        "HISTORY.md": "HISTORY.md",
      },
      leave: ["sessions", "cron"],
    });
  return found;
}

/** @returns the workspace: the one beside the configuration, also of a copied home; else the configured one. */
function readConfig(found: Source, { userHome, isProvider }: ReadOptions): string {
  const beside = join(found.root, "workspace");
  const file = join(found.root, "config.json");
  if (!isFile(file)) return beside;
  const text = readOrSkip(found, "config", file, () => readFileSync(file, "utf8"));
  if (text === undefined) return beside;
  const raw = parseJson(text);
  if (!isObject(raw)) {
    const reason = { key: "import.why.unreadable", values: { why: "JSON" } } as const;
    found.skipped.push({ area: "config", from: "config.json", reason });
    return beside;
  }
  const config = camelKeys(raw);
  nanobotSettings(found, config, isProvider);
  const configured = textOf(valueAt(config, ["agents", "defaults", "workspace"]));
  if (isFolder(beside) || configured === undefined) return beside;
  return configured.replace(/^~(?=\/|$)/, userHome);
}
