/** What the picker shows for what is typed and filtered: pinned and recent first, then each provider's list. Pure. */
import type { ModelView } from "../../features/providers/schema.ts";
import type { Kept } from "./kept.ts";
import type { Offer } from "./offers.ts";

export const FILTERS = ["all", "local", "sees", "thinks", "cheap"] as const;
export type Filter = (typeof FILTERS)[number];

export interface Choice {
  /** `provider/model`. */
  readonly name: string;
  readonly title: string;
  readonly isLocal: boolean;
  /** Absent: no provider lists it. */
  readonly model?: ModelView;
}

export interface Group {
  readonly kind: "kept" | "provider" | "typed";
  readonly offer?: Offer;
  readonly choices: readonly Choice[];
}

/** More than these nobody reads: a few letters leave less. */
export const SHOWN = 100;
/** US dollars for a million tokens that a model writes. */
const CHEAP = 1;

export interface Asked {
  readonly query: string;
  readonly filter: Filter;
  readonly value: string | undefined;
  readonly kept: Kept;
}

export function groupsOf(offers: readonly Offer[], { query, filter, value, kept }: Asked): readonly Group[] {
  const words = query.toLowerCase().trim().split(/\s+/).filter(Boolean);
  const fits = ({ name, title }: Choice): boolean =>
    words.every((word) => `${name} ${title}`.toLowerCase().includes(word));
  const all = offers.map((offer) => ({ offer, choices: choicesOf(offer) }));
  const every = all.flatMap(({ choices }) => choices);
  let left = SHOWN;
  const lists = all.map(({ offer, choices }): Group => {
    const shown = choices.filter((choice) => fits(choice) && passes(choice, filter)).slice(0, left);
    left -= shown.length;
    return { kind: "provider", offer, choices: shown };
  });
  const first = words.length > 0 || filter !== "all" ? [] : keptOf(every, value, kept);
  const typed = typedName(query.trim(), offers);
  const isNew = typed !== undefined && !every.some(({ name }) => name === typed);
  return [
    ...(first.length === 0 ? [] : [{ kind: "kept", choices: first } as const]),
    ...lists.filter(({ offer, choices }) => choices.length > 0 || (words.length === 0 && offer?.problem !== undefined)),
    ...(isNew ? [{ kind: "typed", choices: [{ name: typed, title: "", isLocal: false }] } as const] : []),
  ];
}

function choicesOf({ title, isLocal, models }: Offer): readonly Choice[] {
  return models.map((model) => ({ name: model.id, title, isLocal, model }));
}

/** The chosen one, the pinned ones, the last ones. One that nobody lists just now is there all the same. */
function keptOf(every: readonly Choice[], value: string | undefined, kept: Kept): readonly Choice[] {
  const names = new Set([...(value === undefined || value === "" ? [] : [value]), ...kept.pinned, ...kept.recent]);
  return [...names].map(
    (name) => every.find((one) => one.name === name) ?? { name, title: name.split("/", 1)[0] ?? "", isLocal: false },
  );
}

function passes({ isLocal, model }: Choice, filter: Filter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "local":
      return isLocal;
    case "sees":
      return model?.vision === true;
    case "thinks":
      return model?.thinking === true;
    case "cheap":
      return isLocal || (model?.price !== undefined && model.price.output < CHEAP);
  }
}

/** What is typed can be used as it is, where it names a model. */
function typedName(typed: string, offers: readonly Offer[]): string | undefined {
  const [only] = offers;
  if (typed === "" || /\s/.test(typed)) return undefined;
  if (offers.length === 1 && only !== undefined && !typed.startsWith(`${only.provider}/`))
    return `${only.provider}/${typed}`;
  return /^[a-z0-9][a-z0-9_.-]*\/\S+$/i.test(typed) ? typed : undefined;
}
