/** Who belongs to what, as the configuration has it at this moment: what somebody may read follows from it each time. */
import { groupOf, type PeopleOptions } from "@margay/core/internal";
import type { Config } from "../config/config.ts";
import { OWNER, roleIn } from "./people.ts";

/** A guest's chat among readers. */
const GUEST = "guest:";

export function membersOf(
  config: () => Pick<Config, "channelsById" | "people">,
): Pick<PeopleOptions, "roleOf" | "isIn" | "isAlone" | "persons"> {
  return {
    persons: () => personsOf(config()),
    roleOf: (person) => roleIn(config(), person),
    isAlone: () => Object.keys(config().people).every((person) => person === OWNER),
    isIn: (reader, group) => {
      const { people, channelsById } = config();
      const found = Object.entries(people).find(([person]) => person === reader);
      const ids = reader.startsWith(GUEST) ? [reader.slice(GUEST.length)] : (found?.[1].ids ?? []);
      return Object.entries(channelsById).some(([channel, { chats }]) =>
        Object.entries(chats).some(
          ([chat, { allowFrom = [] }]) =>
            groupOf({ channel, chat }) === group && allowFrom.some((id) => ids.includes(`${channel}:${id}`)),
        ),
      );
    },
  };
}

/** The owner, and everybody whom the configuration names. */
function personsOf({ people }: Pick<Config, "people">): ReturnType<PeopleOptions["persons"]> {
  const named = Object.entries(people).map(([person, { name }]) => ({ person, name: name ?? person }));
  return named.some(({ person }) => person === OWNER) ? named : [{ person: OWNER, name: OWNER }, ...named];
}
