/** A person goes on in a home with another release: lets it rest, says something in each conversation, until all of it is answered. */
import { api } from "../durability/busy-world.ts";
import { errandText, type Errand } from "../durability/errands.ts";
import type { Running } from "../durability/killed-gateway.ts";
import { openOf } from "./facts.ts";
import { STUCK_MS, type House } from "./house.ts";
import { allowAll } from "./old-life.ts";
import { openJournalDirectory } from "@margay/core/internal";
import { emptyState, fold } from "@margay/core/internal/state";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const LOOK_MS = 60;

/** What is said, and where: each once, under its own key, by whoever may. */
export interface Saying {
  /** Absent: a new one. */
  readonly session?: string;
  /** At the webhook, the chat. */
  readonly chat?: string;
  readonly errand: Errand;
}

export interface Answered {
  /** It was given its place, or the release refused it: that is what it said. */
  readonly saying: Saying;
  readonly refused?: string;
}

export type Stage = "recovery" | "rest";

export interface GoOnOptions {
  readonly says: readonly Saying[];
  /** Conversations that this release does not read: nothing of them is waited for. */
  readonly skips?: (session: string) => boolean;
  /** Told when what was there is done, and when everything is. */
  readonly reached?: (stage: Stage) => void;
}

/** Goes on from wherever an earlier process was killed. @returns undefined when this one was. @throws Error when it does not come to rest. */
export async function goOn(
  house: House,
  running: Running,
  { says, skips = () => false, reached = () => {} }: GoOnOptions,
): Promise<readonly Answered[] | undefined> {
  let gone = false;
  void running.gone.then(() => (gone = true));
  const isGone = (): boolean => gone; // changes behind the back of the compiler
  // After crashes schedules wait for a person: here is one.
  await api(running, "/system/schedules/resume", { method: "POST" });
  const rest = (): Promise<void> => rested(house, running, { isGone, skips });
  const settle = async (): Promise<void> => {
    do {
      await allowAll(running);
      await rest();
    } while (!isGone() && (await someAsk(running)));
  };
  await rest();
  if (isGone()) return undefined;
  reached("recovery");
  await settle(); // what is said behind a question would share its turn, or not
  const answers: Answered[] = [];
  for (const saying of says) {
    const answer = await said(house, running, saying, { isGone, skips });
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  await settle();
  if (isGone()) return undefined;
  reached("rest");
  return answers;
}

async function someAsk(running: Running): Promise<boolean> {
  const answer = await api(running, "/approvals");
  const { items = [] } = (answer?.body ?? {}) as { readonly items?: readonly { readonly tool: string }[] };
  return items.some(({ tool }) => tool === "write_file");
}

interface Rest {
  readonly isGone: () => boolean;
  readonly skips: (session: string) => boolean;
}

/** Nothing of any conversation is open, twice in a row, and no job is left. */
async function rested(house: House, running: Running, { isGone, skips }: Rest): Promise<void> {
  const deadline = performance.now() + STUCK_MS;
  for (let quiet = 0; quiet < 2 && !isGone(); await wait(LOOK_MS)) {
    const left = await leftIn(house, running, skips);
    quiet = left.length === 0 ? quiet + 1 : 0;
    if (performance.now() > deadline) throw new Error(`stuck after ${STUCK_MS / 1000} s: ${left.join("; ")}`);
  }
}

async function leftIn(house: House, running: Running, skips: Rest["skips"]): Promise<readonly string[]> {
  const journals = openJournalDirectory(join(house.home, "sessions"));
  const left: string[] = [];
  for (const id of await journals.list()) {
    if (skips(id)) continue;
    let state = emptyState(id);
    try {
      for await (const commit of journals.read(id)) state = fold(state, commit);
    } catch {
      left.push(`${id}: a line that is being written`);
    }
    left.push(...openOf(state).map((each) => `${id}: ${each}`));
  }
  const jobs = (await api(running, "/cron/jobs"))?.body as { readonly items?: readonly object[] } | undefined;
  return [...left, ...(jobs?.items ?? []).map(() => "a job")];
}

/** Tried until it is taken or refused for good. @returns undefined when the process is gone. */
async function said(
  house: House,
  running: Running,
  saying: Saying,
  { isGone, skips }: Rest,
): Promise<Answered | undefined> {
  const { session, chat, errand } = saying;
  const parts = [{ type: "text", text: errandText(errand) }];
  const deadline = performance.now() + STUCK_MS;
  let last = "";
  for (; !isGone(); await wait(LOOK_MS)) {
    if (performance.now() > deadline) throw new Error(`nobody takes ${errand.id}: ${last}`);
    if (chat !== undefined) {
      // A channel listens a moment after the gateway does.
      const status = await house.post(errand.id, chat, errandText(errand)).catch(() => 503);
      if (status < 300) return { saying };
      continue;
    }
    const answer =
      session === undefined
        ? await api(running, "/sessions", { method: "POST", body: { message: { parts } }, key: errand.id })
        : await api(running, `/sessions/${session}/messages`, { method: "POST", body: { parts }, key: errand.id });
    if (answer === undefined) continue;
    if (answer.status < 300) return { saying };
    if (answer.status !== 429) last = JSON.stringify(answer.body); // which is for asking too often
    const { code = "" } = answer.body as { readonly code?: string }; // a problem
    // Up to 0.1.0-people that was `internal` over HTTP; `doctor` and `sessions list` named it then too.
    const isRefused = code === "journal.version" || (code === "internal" && skips(session ?? ""));
    if (isRefused) return { saying, refused: last };
    if (answer.status !== 429 && answer.status < 500 && answer.status !== 409)
      throw new Error(`${session ?? "a new conversation"}: ${answer.status} ${last}`);
  }
  return undefined;
}
