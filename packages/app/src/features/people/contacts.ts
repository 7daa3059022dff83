/** Where somebody can be asked something that nobody but them is to read. */
import type { Address, SessionStore } from "@margay/core";
import type { PeopleOptions, PersonId } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import { isKnownChannel } from "../../config/channel-ids.ts";
import { audienceOf, OWNER, type People } from "../../host/people.ts";
import { isOurs } from "../../host/target.ts";

export interface ContactsSources {
  /** Called when somebody is asked, when the agent exists. */
  readonly sessions: () => Pick<SessionStore, "list" | "find">;
  readonly people: Pick<People, "speaker">;
  /** As it is now. */
  readonly config: () => Pick<Config, "people" | "channelsById">;
}

/** @returns their private chat in which something happened last, on a platform that is on, or on the one that is wanted. */
export function contactOf({ sessions, people, config }: ContactsSources): PeopleOptions["contact"] {
  const isOn = ({ channel }: Pick<Address, "channel">): boolean => {
    const { channelsById } = config();
    return !isOurs(channel) && isKnownChannel(channel, channelsById) && channelsById[channel]?.enabled === true;
  };
  return async (person, wanted) => {
    const store = sessions();
    for (const { key, fault, persons = [] } of await store.list()) {
      const channel = key.slice(0, key.indexOf(":"));
      const mayBe = person === OWNER ? persons.length === 0 : persons.includes(person);
      if (fault !== undefined || !mayBe || !isOn({ channel }) || (wanted ?? channel) !== channel) continue;
      const state = (await store.find(key))?.state;
      // Only where nobody else can read along is a conversation somebody's own.
      if (state !== undefined && isTheirs(state, person, people)) return state.origin;
    }
    return undefined;
  };
}

function isTheirs(
  { audience, origin, messages, rows, cleared }: NonNullable<Awaited<ReturnType<SessionStore["find"]>>>["state"],
  person: PersonId,
  people: Pick<People, "speaker">,
): boolean {
  if (rows + cleared === 0) return false;
  const last = messages.findLast((message) => message.role === "user" && message.from.kind === "person");
  const there = [origin.chat, ...(last?.role === "user" ? [last.from.id] : [])];
  return (
    audience === audienceOf({ person }) && there.some((id) => people.speaker(origin.channel, id)?.person === person)
  );
}
