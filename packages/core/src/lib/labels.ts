/** What is known about where a text came from and who may see it; the join of two is the worse of each. Pure. */
import type { Label, Marks, Message } from "../contract/message.ts";
import { joinReaders } from "./audience.ts";

/** Nothing is known against it. */
export const PLAIN: Label = { integrity: "trusted", confidentiality: "public" };

const RANK = { public: 0, personal: 1, sensitive: 2 } as const;

/** The least label that is at least as bad as both. Commutative, associative, idempotent; `PLAIN` changes nothing. */
export function join(one: Label, other: Label): Label {
  const integrity = one.integrity === "untrusted" ? one.integrity : other.integrity;
  const confidentiality =
    RANK[one.confidentiality] >= RANK[other.confidentiality] ? one.confidentiality : other.confidentiality;
  const readers = other.readers === undefined ? one.readers : joinReaders(one.readers, other.readers);
  return integrity === one.integrity && confidentiality === one.confidentiality && readers === one.readers
    ? one
    : { integrity, confidentiality, ...readersOf({ readers }) };
}

/** Marks as a message carries them: absent means trusted, and public. */
export function labelOf({ integrity, confidentiality, readers }: Marks): Label {
  if (integrity === undefined && confidentiality === undefined && readers === undefined) return PLAIN;
  return {
    integrity: integrity ?? "trusted",
    confidentiality: confidentiality ?? "public",
    ...readersOf({ readers }),
  };
}

/** The label as a message carries it. */
export function marksOf({ integrity, confidentiality, readers }: Label): Marks {
  return {
    ...(integrity === "untrusted" && { integrity }),
    ...(confidentiality !== "public" && { confidentiality }),
    ...readersOf({ readers }),
  };
}

/** Who may read it, for who makes another of it: nothing is said when nobody is kept out. */
export function readersOf({ readers }: { readonly readers?: Marks["readers"] | undefined }): Pick<Marks, "readers"> {
  return readers === undefined || readers.length === 0 ? {} : { readers };
}

/** For records: nothing is said when there is nothing to say. */
export function someMarks(label: Label): { readonly marks?: Marks } {
  const marks = marksOf(label);
  return Object.keys(marks).length > 0 ? { marks } : {};
}

/** Of all that is in a prompt together. */
export function labelOfAll(messages: readonly Message[]): Label {
  return messages.reduce((label, message) => join(label, labelOf(message)), PLAIN);
}

export function isUntrusted({ integrity }: Label): boolean {
  return integrity === "untrusted";
}
