/** Answers of `/mcp`. What servers say stands in fences that it cannot end. */
import type { ReviewedServer, ServerReview, TextChange, ToolChange } from "../contract/server-review.ts";
import { cutAt, fenced, longestRun } from "../lib/text.ts";
import { isKey } from "../lib/texts.ts";
import { visible } from "../lib/visible.ts";
import { en } from "./texts.en.ts";
import { answers, type SayAnswer } from "./texts.ts";

/** Of each text, and tools that are shown: a chat is no place to read a book. */
const MAX_CHARS = 600;
const MAX_TOOLS = 20;

interface ServerTexts {
  readonly list: (servers: readonly ReviewedServer[]) => string;
  readonly review: (name: string, review: ServerReview, code: string) => string;
  readonly approved: (name: string) => string;
  readonly refused: (name: string) => string;
  readonly changed: (name: string) => string;
  readonly nothing: (name: string) => string;
  readonly unknown: (name: string) => string;
  readonly silent: (name: string) => string;
  readonly usage: string;
}

function reviewLines({ tools, instructions }: ServerReview, say: SayAnswer): readonly string[] {
  const left = tools.length - MAX_TOOLS;
  return [
    ...(instructions === undefined ? [] : [say("server.instructions"), ...changeLines(instructions, say)]),
    ...tools.slice(0, MAX_TOOLS).flatMap((change) => toolLines(change, say)),
    ...(left > 0 ? [say("server.more", { n: left })] : []),
  ];
}

function toolLines({ tool, kind, effect, parameters, ...description }: ToolChange, say: SayAnswer): readonly string[] {
  const said = [effect?.before, effect?.after].flatMap((one) =>
    one === undefined ? [] : [say(`server.effect.${one}`)],
  );
  return [
    `${inline(tool)} (${[say(`server.kind.${kind}`), ...(said.length === 0 ? [] : [said.join(" → ")])].join(say("server.comma"))})`,
    ...changeLines(description, say),
    ...(parameters === undefined ? [] : [say("server.parameters"), ...changeLines(parameters, say)]),
  ];
}

function changeLines({ before, after }: TextChange, say: SayAnswer): readonly string[] {
  if (before === after) return [];
  return [
    ...(before === undefined || before === "" ? [] : [say("server.before"), shortened(before, say)]),
    ...(after === undefined || after === ""
      ? []
      : [...(before === undefined ? [] : [say("server.now")]), shortened(after, say)]),
  ];
}

function shortened(text: string, say: SayAnswer): string {
  const shown = visible(text);
  const left = shown.length - MAX_CHARS;
  const cut = left > 0 ? `${cutAt(shown, MAX_CHARS)}…` : shown;
  return `${fenced(cut)}${left > 0 ? `\n${say("server.cut", { n: left })}` : ""}`;
}

function inline(name: string): string {
  const text = visible(name).replaceAll("\n", "\\n");
  const fence = "`".repeat(longestRun(text) + 1);
  return longestRun(text) === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

function list(servers: readonly ReviewedServer[], say: SayAnswer): string {
  if (servers.length === 0) return say("server.none");
  return servers
    .map(({ name, state, tools, standing }) => {
      const waits = standing === "approved" ? "" : say("server.waits", { name });
      return `${say("server.line", { name: inline(name), state: stateName(state, say), n: tools })}${waits}`;
    })
    .join("\n");
}

function stateName(state: string, say: SayAnswer): string {
  const key = `server.state.${state}`;
  return isKey(en, key) ? say(key) : state;
}

function reviewText(name: string, review: ServerReview, code: string, say: SayAnswer): string {
  return [
    say(review.isFirst ? "server.first" : "server.again", { name: inline(name) }),
    ...reviewLines(review, say),
    say("server.answer", { name, code }),
  ].join("\n");
}

export function serverTexts(language: "en" | "zh-CN"): ServerTexts {
  const say = answers(language);
  return {
    list: (servers) => list(servers, say),
    review: (name, review, code) => reviewText(name, review, code, say),
    approved: (name) => say("server.approved", { name: inline(name) }),
    refused: (name) => say("server.refused", { name: inline(name) }),
    changed: (name) => say("server.changed", { name: inline(name), id: name }),
    nothing: (name) => say("server.nothing", { name: inline(name) }),
    unknown: (name) => say("server.unknown", { name: inline(name) }),
    silent: (name) => say("server.silent", { name: inline(name), id: name }),
    usage: say("server.usage"),
  };
}
