/** `/shared`: what somebody lets others have without being asked, and an end to it. In a chat that they alone read. */
import type { CommandActions } from "./actions.ts";
import type { Share } from "../contract/grant.ts";
import type { Address, Sender } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import { OWNER } from "../lib/audience.ts";
import { visible } from "../lib/visible.ts";
import { listed, unmarked } from "./in-markdown.ts";
import type { SayAnswer } from "./texts.ts";

export interface SharedTexts {
  readonly shared: (shares: readonly Share[], nameOf: (person: string) => string) => string;
  readonly shareEnded: (share: Share, name: string) => string;
  readonly noShare: (id: string) => string;
  /** Beside a yes. */
  readonly sharedFrom: string;
  readonly sharedHelp: string;
}

interface Call {
  readonly session: Session;
  readonly by: Sender;
  readonly origin: Address;
  readonly argument: string | undefined;
  readonly actions: Pick<CommandActions, "people" | "speaker">;
  readonly texts: SharedTexts & { readonly linkPrivate: string };
}

/** Whether there is anybody to share with: the owner alone has no such command. */
export function hasShares({ people }: Pick<CommandActions, "people">): boolean {
  return people?.shares !== undefined && !people.isAlone();
}

export async function sharedCommand(call: Call): Promise<string> {
  const { session, by, origin, argument, actions, texts } = call;
  const { people, speaker } = actions;
  const { role, audience, program } = speaker(by, origin);
  if (role === "guest" || program === true || audience !== session.state.audience) return texts.linkPrivate;
  const of = audience ?? OWNER;
  const nameOf = (person: string): string => people?.persons().find((one) => one.person === person)?.name ?? person;
  const [word, id = ""] = argument?.split(/\s+/) ?? [];
  if (word !== "remove") return texts.shared(people?.shares?.list(of) ?? [], nameOf);
  const ended = await people?.shares?.remove(of, id);
  return ended === undefined ? texts.noShare(id) : texts.shareEnded(ended, nameOf(ended.reader));
}

/** Nobody gave them a name. */
function named(name: string, say: SayAnswer): string {
  return name === OWNER ? say("asked.owner") : name;
}

export function sharedTexts(say: SayAnswer): SharedTexts {
  return {
    shared: (shares, nameOf) =>
      shares.length === 0
        ? say("shared.none")
        : listed(
            say("shared"),
            shares.map(({ id, shown, reader, at }) =>
              say("shared.line", {
                id: id.slice(0, 8),
                shown: unmarked(shown),
                reader: unmarked(named(nameOf(reader), say)),
                time: new Date(at).toISOString().slice(0, 16).replace("T", " "),
              }),
            ),
          ).join("\n"),
    shareEnded: ({ shown }, name) =>
      say("shared.ended", { shown: unmarked(shown), reader: unmarked(named(name, say)) }),
    noShare: (id) => say("shared.unknown", { id: visible(id) }),
    sharedFrom: say("press.always"),
    sharedHelp: say("help.shared"),
  };
}
