/** The first line: what the conversation is called, and where it works. Below it, while nothing was said, how to begin. */
import type { ChatApp } from "../chat-app.ts";
import type { ChatFacts } from "../facts.ts";
import { safeLine } from "../safe.ts";
import { columns, indented, INDENT, wrap, type Kit } from "./kit.ts";

interface Titled {
  readonly app: ChatApp;
  readonly facts: ChatFacts;
  /** Nothing stands below it. */
  readonly isEmpty: boolean;
}

export function titleLines({ app, facts, isEmpty }: Titled, width: number, kit: Kit): readonly string[] {
  const { style, texts } = kit;
  const { branch } = facts;
  const title = safeLine(facts.title ?? "") || texts("title.new");
  const right = [
    shortened(homely(safeLine(app.workspace), app.env?.["HOME"]), Math.floor(width / 2), kit),
    ...(branch === undefined ? [] : [texts("title.branch", { at: branch.at, of: branch.of })]),
  ];
  const room = width - INDENT - 1;
  return [
    ...columns(` ${style.bold(title)}`, style.dim(right.join(" · ")), width, kit),
    ...(app.practice() ? ["", ...wrap(style.warn(texts("practice")), room, kit).map(indented)] : []),
    ...(isEmpty ? ["", ...EXAMPLES.flatMap((name) => wrap(style.dim(texts(name)), room, kit)).map(indented)] : []),
  ];
}

const EXAMPLES = ["example.one", "example.two"] as const;

/** `…/garden` where the whole of it would take the room of the title. */
function shortened(path: string, room: number, { pi }: Kit): string {
  const parts = path.split("/");
  const ends = parts.map((_, from) => (from === 0 ? path : `…/${parts.slice(from).join("/")}`));
  return ends.find((one) => pi.visibleWidth(one) <= room) ?? ends.at(-1) ?? path;
}

/** `~/garden`. */
function homely(path: string, home: string | undefined): string {
  if (home === undefined || home === "" || home === "/") return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
