// What of the network a command gets: a door of its own, and a question for each host that nobody listed.
import type { CallQuestionInput, ToolContext } from "../../contract/tool.ts";
import type { Grant } from "../../contract/grant.ts";
import { isUntrusted } from "../../lib/labels.ts";
import { ellipsis } from "../../lib/text.ts";
import { inBoth } from "../../lib/texts.ts";
import { visible } from "../../lib/visible.ts";
import type { EgressDoor } from "../../machine/egress/door.ts";
import { splitCommand } from "./segments.ts";
import { createStandingDeadline, type StandingDeadline } from "./standing-deadline.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

/** Opens a door for one call. */
export interface ExecEgress {
  open(call: CallDoor): Promise<EgressDoor>;
}
export interface CallDoor {
  readonly context: Pick<ToolContext, "sessionId" | "callId">;
  /** As it may be shown and recorded: without secrets. */
  readonly command: string;
  /** @returns why the host is refused; undefined when it may pass. */
  readonly ask: (host: string, port: number) => Promise<string | undefined>;
  /** The same for a push to a repository, such as `github.com/me/proj`: what is pushed others read. */
  readonly askPush: (repository: string) => Promise<string | undefined>;
}

/** The rule that asks, in records and for who keeps its answers. */
export const NETWORK_RULE = "network";
export const PUSH_RULE = "git push";
/** The connection is held for so long. curl, git, npm and pip wait as long for an answer to CONNECT. */
export const QUESTION_WAIT_MS = 45_000;
const SHOWN_CHARS = 120;
const bothOf = inBoth(en, zh);
/** So many refusals are told. */
const MAX_TOLD = 3;

/** Programs whose work it is to download, and the verbs of git that do. */
const DOWNLOADS =
  /^(?:\w+=\S*\s+)*(?:\S*\/)?(?:(?:curl|wget|npm|npx|pnpm|yarn|pip3?|uv|cargo|go|gem|composer)(?=\s|$)|git(?:\s+-[cC]\s+\S+|\s+-\S+)*\s+(?:clone|fetch|pull|push|ls-remote|submodule)(?=\s|$))/;

/** Whether a call gets a way out: its own word, else what its commands are. */
export function wantsNetwork({ command, network }: { readonly command: string; readonly network?: boolean }): boolean {
  return network ?? splitCommand(command).texts.some((text) => DOWNLOADS.test(text));
}

/** Dispose when the command has ended: nobody waits for an answer any more. */
export interface CommandDoor extends AsyncDisposable {
  /** Of its socket. */
  readonly path: string;
  /** Stands still while a person is asked. */
  readonly deadline: StandingDeadline;
  /** Why the command is a stranger's that went out: none when all it reached is trusted. */
  causes(): readonly string[];
  /** What was refused, for the end of the output: most programs do not show what a proxy said. */
  refusals(): readonly string[];
}

export async function openCommandDoor(
  command: string,
  context: ToolContext,
  { egress, redact = (text) => text }: { readonly egress: ExecEgress; readonly redact?: (text: string) => string },
): Promise<CommandDoor> {
  const deadline = createStandingDeadline(context.clock);
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const clean = redact(command);
  const shown = ellipsis(visible(clean.replaceAll(/\s+/g, " ").trim()), SHOWN_CHARS);
  const asked = new Map<string, Promise<string | undefined>>();
  /** One question for each thing and call: whoever comes meanwhile or tries again gets the same answer. */
  const once = (key: string, work: () => Promise<string | undefined>): Promise<string | undefined> => {
    const put = async (): Promise<string | undefined> => {
      const resume = deadline.pause();
      try {
        return await work();
      } finally {
        resume();
      }
    };
    const answer = asked.get(key) ?? put();
    asked.set(key, answer);
    return answer;
  };
  const door = await egress.open({
    context,
    command: clean,
    ask: (host, port) => once(`${host}:${port}`, () => askFor({ host, port, shown }, context, signal)),
    askPush: (repository) => once(`push ${repository}`, () => askToPush(repository, context, signal)),
  });
  return {
    path: door.path,
    deadline,
    causes: () => [...door.reached].filter(([, isTrusted]) => !isTrusted).map(([host]) => `network ${host}`),
    refusals: () => door.refused.slice(0, MAX_TOLD).map((reason) => `margay: ${reason}`),
    [Symbol.asyncDispose]: async () => {
      ended.abort("over");
      await door[Symbol.asyncDispose]();
    },
  };
}

async function askFor(
  { host, port, shown }: { readonly host: string; readonly port: number; readonly shown: string },
  context: ToolContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const place = `${host}:${port}`;
  const question = {
    grant: networkGrant(host, port),
    prompt: bothOf("connect", { shown, place }),
    why: "The host is on no list, and what is sent there leaves this machine.",
  };
  return await answerOf(question, context, signal, {
    no: `${place} is not allowed: a person said no`,
    late: `${place} is not allowed: nobody answered within ${QUESTION_WAIT_MS / 1000} s; a later yes counts for the next call`,
    nobody: `${host} is not allowed; nobody was there to ask`,
  });
}

/** The words of git around it are `remote: margay: …`. */
async function askToPush(repository: string, context: ToolContext, signal: AbortSignal): Promise<string | undefined> {
  const question = {
    grant: { rule: PUSH_RULE, tool: "exec", scope: { push: repository }, shown: `exec: git push to ${repository}` },
    prompt: bothOf("push", { repository }),
    why: "What is pushed is read by others.",
    risks: ["reaches-others"],
  };
  return await answerOf(question, context, signal, {
    no: "a person said no",
    late: `nobody answered within ${QUESTION_WAIT_MS / 1000} s; a later yes counts for the next push`,
    nobody: `a push to ${repository} is not allowed; nobody was there to ask`,
  });
}

type Question = Pick<CallQuestionInput, "grant" | "prompt" | "why" | "risks">;

/** @returns why not, in the given words; undefined for a yes. */
async function answerOf(
  { risks = [], ...question }: Question,
  context: ToolContext,
  signal: AbortSignal,
  words: Readonly<Record<"no" | "late" | "nobody", string>>,
): Promise<string | undefined> {
  const isStrange = isUntrusted(context.label);
  const answer = await context.ask?.(
    {
      ...question,
      // Who reads along may have put the idea there: it is for once.
      remember: !isStrange,
      risks: [...risks, ...(isStrange ? ["untrusted-content"] : [])],
      waitMs: QUESTION_WAIT_MS,
    },
    signal,
  );
  switch (answer?.verdict) {
    case "allow":
      return undefined;
    case "deny":
      return words.no;
    case "late":
      return words.late;
    case "nobody":
    case undefined:
      return words.nobody;
  }
}

/** What a yes covers: this host and this port. */
export function networkGrant(host: string, port: number): Grant {
  return { rule: NETWORK_RULE, tool: "exec", scope: { host, port }, shown: `exec: connections to ${host}:${port}` };
}

/** What programs say that found no network. */
const NO_NETWORK =
  /could(?: not|n't) resolve|ENOTFOUND|EAI_AGAIN|network is unreachable|ENETUNREACH|temporary failure in name resolution|name or service not known|no address associated with hostname|proxy.{0,40}refused|failed to connect to .{0,80} port 18080/i;

/** Whether the output says so. */
export function saysNoNetwork(output: string): boolean {
  return NO_NETWORK.test(output);
}
