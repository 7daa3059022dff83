/** The buttons of a question, and what its message says when it is over. */
import type { AgentSettings } from "../../contract/agent-options.ts";
import type { Millis } from "../../contract/base.ts";
import type { Channel } from "../../contract/channel.ts";
import type { AnswerButton } from "../../contract/record.ts";
import type { AskedInChat } from "../../contract/bus.ts";
import { DIGEST } from "../../lib/approval-choices.ts";
import { OPERATOR } from "../../lib/operator.ts";
import { zonedClock, type ZonedTime } from "../../lib/zoned-time.ts";
import type { ToolDeps } from "../../loop/deps.ts";
import { answers } from "../texts.ts";

export interface ButtonsOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly language: () => AgentSettings["language"];
  /** Nobody can guess it. */
  readonly token: () => string;
}

/** @returns what asks for the buttons of a question: undefined where the platform has none. */
export function createButtons({ channel, language, token }: ButtonsOptions): ToolDeps["buttons"] {
  return (to, { call, hash, expiresAt, grant, lasting }) => {
    if (channel(to.channel)?.can.buttons !== true) return undefined;
    const say = answers(language());
    const button = (style: AnswerButton["style"], does: Pick<AnswerButton, "verdict" | "remember">): AnswerButton => ({
      token: token(),
      label: say(does.remember === "always" ? "button.always" : `button.${style}`),
      style,
      ...does,
    });
    return {
      call,
      hash,
      expiresAt,
      actions: [
        button("allow", { verdict: "allow" }),
        // A rule for all chats is made where its maker can prove who they are: in the pages or the terminal.
        ...(grant !== undefined ? [button("plain", { verdict: "allow", remember: "session" })] : []),
        // What is theirs they let go for good here too, and take it back here.
        ...(lasting === true ? [button("plain", { verdict: "allow", remember: "always" })] : []),
        button("deny", { verdict: "deny" }),
      ],
    };
  };
}

interface Outcome {
  /** The name of who answered it. */
  readonly by: string;
  readonly expired: boolean;
  readonly now: Millis;
}

/** What became of a question, by whom, and when. */
export function outcomeText(
  { language, timeZone }: Pick<AgentSettings, "language" | "timeZone">,
  { call, answered, expiresAt, actions }: Pick<AskedInChat, "call" | "answered" | "expiresAt" | "actions">,
  { by, expired, now }: Outcome,
): string {
  const say = answers(language);
  const time = (at: Millis): { readonly at: string } => ({ at: clockTime(at, now, timeZone) });
  if (call === DIGEST) return say("asked.digest", time(now));
  if (answered === undefined) return expired ? say("asked.expired", time(expiresAt)) : say("asked.over", time(now));
  const who = by === OPERATOR.id ? say("asked.owner") : by;
  const { verdict, remember = "allow" } = answered;
  const isShared = remember === "always" && actions.some((each) => each.remember === "always");
  const kind = verdict === "deny" ? "deny" : isShared ? "shared" : remember;
  return say(`asked.${kind}`, { by: who, ...time(answered.at) });
}

/** The day too, unless it is the same one. */
function clockTime(at: Millis, now: Millis, timeZone: string): string {
  const clock = zonedClock(timeZone);
  const [then, today] = [clock(at), clock(now)];
  const two = (value: number): string => String(value).padStart(2, "0");
  const dayOf = ({ year, month, day }: ZonedTime): string => `${year}-${two(month)}-${two(day)}`;
  const time = `${two(then.hour)}:${two(then.minute)}`;
  return dayOf(then) === dayOf(today) ? time : `${dayOf(then)} ${time}`;
}
