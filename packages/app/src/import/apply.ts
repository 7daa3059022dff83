/** Performs a plan under the lock of the state directory. Interrupted, it is simply run again. */
import { constants, copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { openMemory, replaceFile, RuntimeError, sha256, type Address } from "@margay/core";
import { installSkill } from "@margay/core/builtin";
import type { App } from "../app.ts";
import type { Translate } from "../i18n/translate.ts";
import type { Plan } from "./plan.ts";
import type { SourceFile } from "./source.ts";
import type { PlannedMemory, PlannedSetting } from "./step.ts";

export interface ApplyOptions {
  readonly app: App;
  readonly t: Translate;
  readonly saveSettings: (settings: readonly PlannedSetting[]) => void;
}

export async function applyImport(
  plan: Plan,
  { app, t, saveSettings }: ApplyOptions,
  signal: AbortSignal,
): Promise<void> {
  const { workspace } = app.loaded;
  for (const { key, imported } of plan.sessions) {
    const session = await app.agent.sessions.open(key, addressOf(key));
    const { messages, rows, consolidated, transcript } = imported;
    if (session.state.rows > 0 || session.state.pending.length > 0)
      throw new RuntimeError("session.not-empty", t("sessions.notEmpty", { key })); // used since the plan was made
    await session.commit({ type: "history.imported", messages, rows, consolidated, transcript });
  }
  for (const { request } of plan.jobs) await app.schedule.cron?.add(request);
  for (const file of plan.files) copy(file, workspace);
  for (const memory of plan.memory) await writeMemory(memory, app);
  for (const skill of plan.skills) await installSkill(skill, workspace, signal);
  // Last: a key in the configuration means that everything else is here.
  if (plan.settings.length > 0) saveSettings(plan.settings);
}

/** Never over a file that is there. */
function copy({ file, to }: SourceFile, workspace: string): void {
  const place = join(workspace, to);
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(file, place, constants.COPYFILE_EXCL);
}

async function writeMemory({ to, before, after }: PlannedMemory, { loaded }: App): Promise<void> {
  const { workspace, places, timeZone } = loaded;
  if (to === "HISTORY.md") {
    mkdirSync(join(workspace, "memory"), { recursive: true });
    return replaceFile(join(workspace, "memory", to), after, 0o644);
  }
  // Through the memory itself: the version before is kept. Its text was redacted when the plan was made.
  const versions = join(places.home, "memory");
  const memory = openMemory({ workspace, versions, timeZone, redact: (text) => text });
  await memory.rewrite(after, sha256(before));
}

/** The chat that a key of the usual form `channel:chat` names. */
function addressOf(key: string): Address {
  const colon = key.indexOf(":");
  return colon < 0 ? { channel: "cli", chat: key } : { channel: key.slice(0, colon), chat: key.slice(colon + 1) };
}
