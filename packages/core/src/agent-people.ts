/** What persons have of each other: a text that its owner lets go, and a question that somebody else answers. */
import type { Base, Parts } from "./agent-base.ts";
import type { Agent } from "./contract/agent.ts";
import type { AgentSettings } from "./contract/agent-options.ts";
import type { Address } from "./contract/message.ts";
import type { PeopleOptions } from "./contract/room.ts";
import type { AskedRelease, Session, SessionState } from "./contract/session.ts";
import { toolSpecs } from "./context/prefix.ts";
import { isUnanswered } from "./lib/approval-choices.ts";
import { isHostCalling } from "./lib/host-calls.ts";
import { PLAIN } from "./lib/labels.ts";
import { sessionKeyOf } from "./lib/session-key.ts";
import { textOf } from "./lib/text.ts";
import type { ConnectedSessions } from "./loop/connect.ts";
import type { LoopDeps } from "./loop/deps.ts";
import type { ToolSendDeps } from "./loop/delivery/queue-reply.ts";
import { sendTo } from "./channels/send-to.ts";
import { sideRequest } from "./loop/spending/side-request.ts";
import { createDecideCall } from "./control/decide-call.ts";
import { type AskedCalls, createAskedCalls } from "./people/asked-calls.ts";
import { createKeptBack, type KeptBack } from "./people/kept-back.ts";
import { type Looked, lookUp, type Thought } from "./people/look-up.ts";
import { personNamed } from "./people/persons.ts";
import { askedInOrder, placed, readerOf } from "./people/readers.ts";
import type { Reading } from "./people/reading.ts";
import { answerText } from "./people/release-text.ts";
import { createReleases, type Releases } from "./people/releases.ts";
import { sourcesOf } from "./people/sources.ts";
import { readersTo } from "./lib/audience.ts";
import { sha256 } from "./machine/system/hash.ts";
import { invoke } from "./tools/invoke.ts";
import { prepare } from "./tools/prepare.ts";
import type { ToolCallPart } from "./contract/message.ts";

/** Undefined: everybody who is admitted reads what the operator may. */
export function releasesOf(
  { options: { people }, services: { clock, log }, settings, closing }: Base,
  { open, find }: Pick<ConnectedSessions, "open" | "find">,
  all: () => Pick<Parts, "deps" | "controlDeps" | "inbox">,
): Releases | undefined {
  if (people === undefined) return undefined;
  return createReleases({
    people,
    open,
    send: async (key, message) => sendTo(await open(key, message.to), message),
    buttons: (...given) =>
      all()
        .deps()
        .buttons(...given),
    decide: createDecideCall({
      find,
      control: () => all().controlDeps,
      accept: (message) => all().inbox.accept(message),
      clock,
    }),
    hash: sha256,
    language: () => settings().language,
    clock,
    log,
    closing,
  });
}

/** Of groups, guests and members. */
export function askedCallsOf(
  { options: { people }, services: { log }, closing }: Base,
  releases: Releases | undefined,
): AskedCalls | undefined {
  if (people === undefined || releases === undefined) return undefined;
  return createAskedCalls({ people, releases, log, closing });
}

/** Of answers, and of what is sent without a turn. */
export function keptBackOf(
  { options: { people }, services: { reading }, settings }: Base,
  releases: Releases | undefined,
): KeptBack | undefined {
  if (people === undefined || reading === undefined || releases === undefined) return undefined;
  return createKeptBack({ people, reading, releases, language: () => settings().language });
}

/** Of a text that was told, whoever tells it on: no line that a search found is like it. */
function asTold(text: string): string {
  return sha256(JSON.stringify(["told", text]));
}

/** Before a message leaves for another chat. */
export function asksFirst(
  reading: Pick<Reading, "telling" | "marksFor">,
  releases: Pick<Releases, "ask">,
  language: () => AgentSettings["language"],
): NonNullable<ToolSendDeps["asks"]> {
  return async (given, { reply, to, parts }) => {
    // What the host calls is in no context: it is the host's own word.
    const state = isHostCalling(given) ? { ...given, label: PLAIN } : given;
    const telling = await reading.telling(state, to, state.turn?.attended === true);
    if (telling.how === "told") return undefined;
    const text = parts.filter((part) => part.type === "text");
    if (telling.how === "kept" || text.length < parts.length) return "withheld"; // a file cannot be shown whole
    const { of, reader } = telling;
    const asked = await releases.ask({
      ...{ id: reply, session: sessionKeyOf(to), to, reader, parts: text },
      of: of.map((person) => {
        const { sources, told } = sourcesOf(state, person, language());
        return { of: person, sources, ...(told !== undefined && { lasting: told.map(asTold) }) };
      }),
      marks: await reading.marksFor(state, to),
      from: readerOf(state),
    });
    return asked === undefined ? "withheld" : "asked";
  };
}

export interface AskingDeps {
  readonly people: PeopleOptions;
  readonly releases: Pick<Releases, "ask">;
  readonly byId: (id: Session["state"]["id"]) => Session | undefined;
  readonly open: (key: string, origin: Address) => Promise<Session>;
  readonly depsOf: (state: SessionState) => LoopDeps;
  /** Stops when either does. */
  readonly stopped: (signal: AbortSignal) => AbortSignal;
}

/** Somebody's question is looked up in the room of whom it is for, and what was found goes to them alone. */
export function createAsking({ people, releases, byId, open, depsOf, stopped }: AskingDeps): Agent["askPerson"] {
  return async ({ session: asking, call, person: word, question, signal }) => {
    const session = byId(asking);
    const person = personNamed(word, people);
    const reader = session && readerOf(session.state);
    if (session === undefined || person === undefined || person === reader || reader === undefined) return undefined;
    const chat = await people.contact(person);
    const theirs = chat && (await open(sessionKeyOf(chat), chat));
    if (theirs === undefined || readerOf(theirs.state) !== person) return undefined;
    const { state } = session;
    const id = `${state.id}-${call}`;
    const deps = depsOf(theirs.state);
    const { language } = deps.settings;
    const name = (of: string): string => people.persons().find((one) => one.person === of)?.name ?? of;
    // The same again, while it waits, is the same question: nothing is looked up for it, and it gets no other draft.
    const isSame = (each: AskedRelease): boolean =>
      isUnanswered(each) && each.session === state.key && each.reader === reader && each.question === question;
    if (theirs.state.releases?.some((each) => each.id === id || isSame(each)) === true) return name(person);
    const found = await lookUp({
      ...{ question, from: name(reader), name: name(person), language },
      ...roomOf(session, theirs, deps, stopped(signal)),
    });
    const all = [readersTo([person], person), ...found.readers];
    const of = askedInOrder(all, reader, [], people);
    const chats = await Promise.all((of ?? []).map((one) => people.contact(one)));
    // What also belongs to somebody who cannot be asked is as good as not found.
    const isKnown = found.text !== "" && of !== undefined && chats.every((one) => one !== undefined);
    await releases.ask({
      ...{ id, session: state.key, to: state.origin, reader, question },
      of: (isKnown ? of : [person]).map((one) => ({
        of: one,
        sources: isKnown && one === person ? found.sources : [],
        ...(isKnown && one === person && found.seen !== undefined && { lasting: found.seen.map(sha256) }),
      })),
      parts: isKnown ? [{ type: "text", text: answerText(name(person), found.text, language) }] : [],
      marks: { integrity: "untrusted", readers: placed(isKnown ? all : all.slice(0, 1), reader, people) },
      from: reader,
    });
    return name(person);
  };
}

/** Reads in their room, with their model; who asks pays. */
function roomOf(
  session: Session,
  theirs: Session,
  deps: LoopDeps,
  signal: AbortSignal,
): { readonly think: Thought; readonly look: Looked } {
  // Whoever asks is a stranger there.
  const state: SessionState = { ...theirs.state, label: { ...PLAIN, integrity: "untrusted" } };
  const tools = deps.tools.list().filter(({ name }) => READING.has(name));
  const model = theirs.state.model ?? deps.model;
  return {
    think: (system, text, last) =>
      sideRequest(
        session,
        {
          purpose: "ask_person",
          system,
          text,
          tools: last ? [] : toolSpecs(tools),
          maxOutputTokens: ANSWER_TOKENS,
        },
        { ...deps, model },
        signal,
      ),
    look: async (call: ToolCallPart) => {
      if (!READING.has(call.name)) return { text: "", readers: [] };
      const prepared = await prepare(deps.tools, call);
      if (!prepared.ok) return { text: prepared.text, readers: [] };
      const { effect } = prepared.tool;
      const callFiles = deps.callFiles(call.name, prepared.input);
      const { origin } = state;
      const verdict = await deps.policy.judge(call, { state, origin, attended: false, effect, callFiles });
      if (verdict.kind !== "allow") return { text: "Not allowed.", readers: [] };
      const outcome = await invoke(
        prepared,
        {
          sessionId: state.id,
          turnId: `${session.state.id}:ask` as NonNullable<SessionState["turn"]>["id"], // no turn of its own
          callId: call.callId,
          origin,
          label: state.label,
          attended: false,
          workspace: deps.workspace,
          signal,
          clock: deps.clock,
          log: deps.log,
          progress: () => {},
        },
        deps.bounds,
      );
      if (outcome.kind === "threw") return { text: outcome.error.message, readers: [] };
      const given = outcome.status === "ok" && { given: true as const };
      return { text: deps.redact(textOf(outcome.parts)), readers: outcome.readers ?? [], ...given };
    },
  };
}

const READING: ReadonlySet<string> = new Set(["recall", "read_file"]);
const ANSWER_TOKENS = 1000;
