/** An OpenClaw home, or its workspace alone: AGENTS.md, SOUL.md, USER.md, memory, skills, sessions where they can be read. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addSession, isFile, isFolder, readSkills, readWorkspace, sessionFiles, stem } from "./folder.ts";
import { isObject, parseJson, textOf, valueAt } from "./json.ts";
import { nanobotJobs } from "./nanobot-jobs.ts";
import { transcriptOf } from "./openclaw-session.ts";
import { readOrSkip } from "./read-or-skip.ts";
import { shown } from "./shown.ts";
import { emptySource, type ReadOptions, type Source } from "./source.ts";

const DAY = /^memory\/(\d{4}-\d{2}-\d{2})[^/]*\.md$/;

export function readOpenclaw(root: string, options: ReadOptions): Source {
  const found = emptySource("openclaw", root);
  const isHome = existsSync(join(root, "openclaw.json")) || isFolder(join(root, "agents"));
  const workspace = isHome ? join(root, "workspace") : root;
  if (isHome) {
    readConfig(found, options);
    readSkills(join(root, "skills"), found);
    const jobs = join(root, "cron", "jobs.json");
    const text = isFile(jobs) ? readOrSkip(found, "job", jobs, () => readFileSync(jobs, "utf8")) : undefined;
    if (text !== undefined) nanobotJobs(found, shown(found, jobs), text);
  }
  for (const folder of sessionFolders(found, workspace))
    for (const file of sessionFiles(found, folder)) {
      const place = { from: shown(found, file), key: `openclaw:${stem(file)}` };
      const text = readOrSkip(found, "session", file, () => readFileSync(file, "utf8"));
      if (text !== undefined) addSession(found, place, transcriptOf(text), options);
    }
  if (!isFolder(workspace)) return found;
  readWorkspace(workspace, found, {
    memory: {
      "MEMORY.md": "MEMORY.md",
      "memory.md": "MEMORY.md",
      "memory/MEMORY.md": "MEMORY.md",
      "memory/HISTORY.md": "HISTORY.md",
    },
    leave: ["sessions", ".git"],
  });
  takeDays(found);
  return found;
}

/** A note of a day becomes history: each of its paragraphs with the date, so that it is found like our own. */
function takeDays(found: Source): void {
  for (const file of found.files.splice(0)) {
    const day = DAY.exec(file.to)?.[1];
    if (day === undefined) {
      found.files.push(file);
      continue;
    }
    const text = readOrSkip(found, "memory", file.file, () => readFileSync(file.file, "utf8"));
    if (text === undefined) continue;
    const paragraphs = text.split(/\n\s*\n/);
    const entries = paragraphs.filter((each) => each.trim() !== "").map((each) => `[${day} 00:00] ${each.trim()}`);
    found.memories.push({ from: file.from, to: "HISTORY.md", text: entries.join("\n\n") });
  }
}

function sessionFolders(found: Source, workspace: string): readonly string[] {
  const agents = join(found.root, "agents");
  const names = isFolder(agents)
    ? (readOrSkip(found, "session", agents, () => readdirSync(agents).toSorted()) ?? [])
    : [];
  return [...new Set([...names.map((name) => join(agents, name, "sessions")), join(workspace, "sessions")])];
}

/** Only its model has a word here; its channels and access rules mean other things than ours. */
function readConfig(found: Source, { isProvider }: ReadOptions): void {
  const file = join(found.root, "openclaw.json");
  if (!isFile(file)) return;
  const text = readOrSkip(found, "config", file, () => readFileSync(file, "utf8"));
  if (text === undefined) return;
  const config = parseJson(text);
  const skip = (from: string, key: "import.why.notJson" | "import.why.noKey"): void =>
    void found.skipped.push({ area: "config", from, reason: { key } });
  if (!isObject(config)) return skip("openclaw.json", "import.why.notJson");
  const configured = valueAt(config, ["agents", "defaults", "model"]);
  const model = textOf(isObject(configured) ? configured["primary"] : configured);
  const from = "openclaw.json agents.defaults.model";
  if (model !== undefined && isProvider(model.split("/")[0] ?? "") && model.includes("/"))
    found.settings.push({ from, path: "model", value: model });
  else if (model !== undefined)
    found.skipped.push({ area: "config", from, reason: { key: "import.why.model", values: { model } } });
  for (const name of Object.keys(config).filter((each) => each !== "agents" && each !== "meta"))
    skip(`openclaw.json ${name}`, "import.why.noKey");
}
