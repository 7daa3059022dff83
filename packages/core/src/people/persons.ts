/** How people are called by each other. Pure. */
import type { Audience, PersonId } from "../contract/people.ts";
import type { PeopleOptions } from "../contract/room.ts";

type Persons = Pick<PeopleOptions, "persons">;

/** By name or short name, in any case. Undefined: nobody, or more than one. */
export function personNamed(word: string, { persons }: Persons): PersonId | undefined {
  const wanted = word.trim().toLowerCase();
  const all = persons();
  const found =
    all.find(({ person }) => person === wanted) ??
    (all.filter(({ name }) => name.toLowerCase() === wanted).length === 1
      ? all.find(({ name }) => name.toLowerCase() === wanted)
      : undefined);
  return found?.person;
}

/** @returns the reader itself where it is no person. */
export function nameOfReader(reader: Audience, { persons }: Persons): string {
  return persons().find(({ person }) => person === reader)?.name ?? reader;
}
