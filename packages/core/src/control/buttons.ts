/** The buttons of a question, and what its message says when it is over. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Channel } from "../contract/channel.ts";
import type { AnswerButton } from "../contract/record.ts";
import type { AskedInChat } from "../contract/bus.ts";
import { OPERATOR } from "../lib/operator.ts";
import type { ToolDeps } from "../loop/deps.ts";
import { answers } from "./texts.ts";

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

/** What became of a question. @param by the name of who answered it. */
export function outcomeText(
  language: AgentSettings["language"],
  { answered, actions }: Pick<AskedInChat, "answered" | "actions">,
  { by, expired }: { readonly by: string; readonly expired: boolean },
): string {
  const say = answers(language);
  if (answered === undefined) return say(expired ? "asked.expired" : "asked.over");
  const who = by === OPERATOR.id ? say("asked.owner") : by;
  const { verdict, remember = "allow" } = answered;
  const isShared = remember === "always" && actions.some((each) => each.remember === "always");
  const kind = verdict === "deny" ? "deny" : isShared ? "shared" : remember;
  return say(`asked.${kind}`, { by: who });
}
