/** A home as people have it when they upgrade: made with a release by real use, and that release killed in the middle of it. */
import { api } from "../durability/busy-world.ts";
import { answerText, errandText, type Errand } from "../durability/errands.ts";
import type { Running } from "../durability/killed-gateway.ts";
import { textOf } from "./facts.ts";
import { laterText, STALLED, tellText, until, type House } from "./house.ts";

/** The conversations in the browser, by what they are for, with the messages that are in them. */
const CHATS = {
  rich: [{ kind: "chat", id: "r1x0z" }],
  compacted: [
    { kind: "file", id: "r1x1z" },
    { kind: "remember", id: "r1x2z" },
  ],
  subagent: [{ kind: "wait", id: "r1x4z" }],
  // One while the other runs.
  steered: [
    { kind: "slow", id: "r1x6z" },
    { kind: "talk", id: "r1x7z" },
  ],
  asks: [{ kind: "chat", id: "r1x8z" }],
  killed: [
    { kind: "slow", id: "r3x0z" },
    { kind: "talk", id: "r3x2z" },
  ],
  stalled: [{ kind: "talk", id: STALLED }],
} as const satisfies Readonly<Record<string, readonly Errand[]>>;
const AFTER_COMPACTION: Errand = { kind: "talk", id: "r1x3z" };
/** Of the job that it makes nobody hears before it was killed. */
const JOB: Errand = { kind: "cron", id: "r1x5z" };
const DUE_MS = 8000;
/** At the webhook: one is answered, one finds nobody who takes its answer. */
const DELIVERED: Errand = { kind: "talk", id: "r2x0z" };
const WAITS: Errand = { kind: "talk", id: "r2x1z" };
type ApiOptions = NonNullable<Parameters<typeof api>[2]>;

export interface OldLifeOptions {
  readonly people: boolean;
  /** Of the keys of what is said, by which conversations are named: two lives with one cannot lie in one home. */
  readonly prefix?: string;
  /** Told of each step. */
  readonly log?: (line: string) => void;
}

export async function liveIn(
  house: House,
  program: string,
  { people, prefix = "", log = () => {} }: OldLifeOptions,
): Promise<void> {
  await house.open();
  const running = await house.start(undefined, { program });
  if (running === undefined) throw new Error("it was killed by somebody else");
  const { create, say } = speaker(running, prefix);
  const answered = (...ids: readonly string[]): Promise<void> =>
    until(`answers ${ids.join(" and ")}`, async () => {
      await allowAll(running, (tool, text) => tool === "write_file" && !text.includes("r1x8z"));
      return ids.every((id) => isAnswered(house, id));
    });
  const told = (...errands: readonly Errand[]): Promise<void> => answered(...errands.map(({ id }) => id));

  log("reads, a command, an approval that is given");
  await create(CHATS.rich[0]);
  await told(...CHATS.rich);
  log("files, memory, a compaction");
  const [file, remembered] = CHATS.compacted;
  const compacted = await create(file);
  await told(file);
  await say(compacted, remembered);
  await told(remembered);
  await needed(running, `/sessions/${compacted}/compact`, { method: "POST" });
  await until("the consolidation", () => all(house, "memory.written").length > 0);
  house.model().expectNewEpoch("the compaction");
  await say(compacted, AFTER_COMPACTION);
  await told(AFTER_COMPACTION);
  log("a subagent");
  await create(CHATS.subagent[0]);
  await told(...CHATS.subagent);
  log("a message into a running turn");
  const [slow, steered] = CHATS.steered;
  const busy = await create(slow);
  await until("its command", () => hasBegun(house, slow.id));
  await say(busy, steered);
  await told(slow, steered);
  log("the webhook, and a receiver that is gone");
  await until(
    "the webhook",
    async () => (await house.post(DELIVERED.id, "a", errandText(DELIVERED)).catch(() => 503)) < 300,
  );
  await told(DELIVERED);
  await until("its delivery", () => all(house, "reply.delivered").length > 0 && house.delivered.length > 0);
  if (people) await askEva(house);
  await house.darken();
  await house.post(WAITS.id, "a", errandText(WAITS));
  await until("an attempt", () => all(house, "reply.failed").length > 0);
  log("an approval that waits, a job that is due");
  await create(CHATS.asks[0]);
  await until("the question", async () => (await waiting(running)).some(({ text }) => text.includes("r1x8z")));
  await create(JOB, laterText(JOB.id, DUE_MS));
  await told(JOB);
  const due = Date.now() + DUE_MS;
  log("killed while a command runs and the model is asked");
  await create(CHATS.stalled[0]);
  await until("the request", () =>
    house.model().requests.some((request) => request.texts("user").join().includes(STALLED)),
  );
  const [killed, behind] = CHATS.killed;
  const doomed = await create(killed);
  await until("its command", () => hasBegun(house, killed.id));
  await say(doomed, behind);
  await until("the line of the command, which sleeps behind it", () => house.ran().includes(killed.id));
  running.kill("SIGKILL");
  await running.gone;
  await until("the job is due", () => Date.now() > due);
}

/** What Ada told Eva is Ada's: who knows of it is asked before Bob hears it, more at once than stand in a chat beside each other. */
async function askEva(house: House): Promise<void> {
  const hello = (id: string): string => errandText({ kind: "talk", id });
  for (const [who, id, text] of [
    ["ada", "r4x0z", hello("r4x0z")],
    ["eva", "r4x1z", hello("r4x1z")],
    ["bob", "r4x2z", hello("r4x2z")],
    ["ada", "r4x3z", tellText("r4x3z", "eva", 1)],
    ["eva", "r4x4z", tellText("r4x4z", "bob", 5)],
  ] as const) {
    await house.post(id, who, text);
    await until(`an answer to ${who}`, () => isAnswered(house, id));
  }
  const settled = (): ReadonlySet<unknown> =>
    new Set(["reply.held", "reply.delivered"].flatMap((type) => all(house, type).map(({ reply }) => reply)));
  await until("what is held", () => all(house, "reply.held").length > 0);
  await until("the rest of it to leave", () => all(house, "reply.queued").every(({ reply }) => settled().has(reply)));
}

/** Says things in the browser's way, each once. */
function speaker(
  running: Running,
  prefix: string,
): {
  /** @param text Default: that of the errand. @returns the new conversation. */
  create(errand: Errand, text?: string): Promise<string>;
  say(session: string, errand: Errand): Promise<void>;
} {
  const of = prefix === "" ? "" : ` ${prefix}`; // the model knows a conversation by how it begins
  const partsOf = (text: string): object => ({ parts: [{ type: "text", text: `${text}${of}` }] });
  return {
    create: async (errand, text = errandText(errand)) => {
      const body = { message: partsOf(text) };
      const made = await needed(running, "/sessions", { method: "POST", body, key: `${prefix}${errand.id}` });
      return (made as { readonly id: string }).id; // its schema says so
    },
    say: async (session, errand) => {
      const options = { method: "POST", body: partsOf(errandText(errand)), key: `${prefix}${errand.id}` };
      await needed(running, `/sessions/${session}/messages`, options);
    },
  };
}

/** A line is in the journal before it is true for who asks: what is busy is asked again. */
async function needed(running: Running, path: string, options: ApiOptions): Promise<object> {
  let answer: Awaited<ReturnType<typeof api>>;
  await until(`${options.method} ${path}`, async () => {
    answer = await api(running, path, options);
    return answer?.status !== 409 && answer?.status !== 429;
  });
  const { status, body } = answer ?? { status: 0, body: {} };
  if (status < 200 || status > 299) throw new Error(`the gateway answered ${status}: ${JSON.stringify(body)}`);
  return body as object; // of its schema
}

interface Question {
  readonly session: string;
  readonly call: string;
  readonly hash: string;
  readonly tool: string;
  /** All of it. */
  readonly text: string;
}

async function waiting(running: Running): Promise<readonly Question[]> {
  const answer = await api(running, "/approvals");
  const { items = [] } = (answer?.body ?? {}) as { readonly items?: readonly Omit<Question, "text">[] };
  return items.map((item) => ({ ...item, text: JSON.stringify(item) }));
}

/** @param wanted Default: all of them. Nobody is asked for what is another's to say. */
export async function allowAll(
  running: Running,
  wanted: (tool: string, text: string) => boolean = (tool) => tool === "write_file",
): Promise<void> {
  for (const { session, call, hash, tool, text } of await waiting(running)) {
    if (!wanted(tool, text)) continue;
    const body = { verdict: "allow", hash };
    await api(running, `/sessions/${session}/approvals/${call}`, { method: "POST", body });
  }
}

function all(house: House, type: string): readonly Readonly<Record<string, unknown>>[] {
  return [...house.journals().values()].flat().flatMap(
    ({ records }) => records.flatMap((record) => (record.type === type ? [record as never] : [])), // of the program
  );
}

function isAnswered(house: House, id: string): boolean {
  return all(house, "reply.queued").some(
    ({ kind, parts }) => kind === "reply" && textOf(parts as never).includes(answerText(id)), // of the program
  );
}

/** The command, or the job, of that errand was begun. */
function hasBegun(house: House, id: string): boolean {
  const calls = all(house, "model.responded").flatMap(({ message }) =>
    (message as { readonly parts: readonly { readonly callId?: string; readonly input?: unknown }[] }).parts.flatMap(
      ({ callId, input }) => (callId !== undefined && JSON.stringify(input).includes(id) ? [callId] : []),
    ),
  );
  return all(house, "tool.started").some(({ call }) => calls.includes(String(call)));
}
