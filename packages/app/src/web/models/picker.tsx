/** The one way in which a model is chosen: a field that searches what the providers list, with what is known of each. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { ProviderView } from "../../features/providers/schema.ts";
import { t } from "./texts.ts";
import { announce } from "../lib/announce.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { tell } from "../ui/tell.ts";
import { FILTERS, groupsOf, SHOWN, type Choice, type Filter } from "./choices.ts";
import { keptModels, noteChosen, togglePin } from "./kept.ts";
import { MissingKey } from "./missing-key.tsx";
import { allOffers, keyless, type Offer, type Source } from "./offers.ts";
import { PickerRows } from "./picker-list.tsx";
import "./picker.css";

export interface PickerProps {
  readonly title: string;
  /** `provider/model`. */
  readonly value: string | undefined;
  /** Absent: every provider that can be used. */
  readonly source?: Source;
  readonly onChoose: (name: string) => unknown;
  readonly onClose: () => void;
  /** Pictures that the model would be given: one that cannot see them says so. */
  readonly pictures?: number;
  /** At the foot. */
  readonly children?: ComponentChildren;
}

export function ModelPicker({ title, value, source, pictures = 0, onChoose, onClose, children }: PickerProps): VNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { offers, reading, reload } = useOffers(source ?? allOffers);
  const missing = useKeyless(source === undefined, reading);
  const [query, setQuery] = useState("");
  const [filter, setFilter] = useState<Filter>("all");
  const [kept, setKept] = useState(keptModels);
  const [at, setAt] = useState(0);
  const groups = useMemo(() => groupsOf(offers, { query, filter, value, kept }), [offers, query, filter, value, kept]);
  const choices = groups.flatMap((group) => group.choices);
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    noteChosen(choice.name);
    onClose();
    onChoose(choice.name);
  };
  const pin = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    const next = togglePin(choice.name);
    setKept(next);
    announce(t(next.pinned.includes(choice.name) ? "pinned" : "unpinned", { name: choice.name }));
  };
  const move = (by: number): void => {
    const next = (at + by + choices.length) % Math.max(1, choices.length);
    setAt(next);
    list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest" });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") choose(choices[at]);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "p") pin(choices[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="picker">
        <Search
          listId={id}
          active={choices[at] ? `${id}-${String(at)}` : undefined}
          total={offers.reduce((sum, { models }) => sum + models.length, 0)}
          value={query}
          onValue={(next) => {
            setQuery(next);
            setAt(0);
          }}
          onKey={onKey}
        />
        <Filters
          chosen={filter}
          onChoose={(next) => {
            setFilter(next);
            setAt(0);
          }}
        />
        <div class="picker-list" id={id} role="listbox" aria-label={title} ref={list}>
          <PickerRows
            id={id}
            groups={groups}
            at={at}
            value={value}
            pinned={kept.pinned}
            pictures={pictures}
            onAt={setAt}
            onChoose={choose}
            onPin={pin}
          />
        </div>
        <Said id={id} reading={reading} choices={choices} />
        {!reading && <AskAgain offers={offers} onAsk={reload} />}
        <MissingKeys missing={missing} query={query} onKey={reload} />
        {children !== undefined && <div class="picker-foot">{children}</div>}
      </div>
    </Dialog>
  );
}

interface SearchProps {
  readonly listId: string;
  /** The id of the option that Enter takes. */
  readonly active: string | undefined;
  readonly total: number;
  readonly value: string;
  readonly onValue: (query: string) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

function Search({ listId, active, total, value, onValue, onKey }: SearchProps): VNode {
  return (
    <input
      class="input"
      type="text"
      role="combobox"
      aria-label={t("search")}
      aria-expanded="true"
      aria-controls={listId}
      aria-activedescendant={active}
      aria-describedby={`${listId}-keys`}
      placeholder={total === 0 ? t("search") : t("searchOf", { n: total })}
      autofocus
      spellcheck={false}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
      onKeyDown={onKey}
    />
  );
}

interface MissingKeysProps {
  readonly missing: readonly ProviderView[];
  readonly query: string;
  readonly onKey: () => void;
}

/** The fields of those that are looked for; else how many more there are. */
function MissingKeys({ missing, query, onKey }: MissingKeysProps): VNode {
  return (
    <>
      {fittingOf(missing, query).map((provider) => (
        <MissingKey key={provider.id} provider={provider} onKey={onKey} />
      ))}
      {missing.length > 0 && query === "" && <p class="muted small">{t("moreProviders", { n: missing.length })}</p>}
    </>
  );
}

/** Where one of them has failed. */
function AskAgain({ offers, onAsk }: { readonly offers: readonly Offer[]; readonly onAsk: () => void }): VNode | null {
  if (offers.every(({ problem }) => problem === undefined)) return null;
  return (
    <Button size="small" kind="quiet" icon="refresh" onClick={onAsk}>
      {t("askAgain")}
    </Button>
  );
}

interface SaidProps {
  readonly id: string;
  readonly reading: boolean;
  readonly choices: readonly Choice[];
}

function Said({ id, reading, choices }: SaidProps): VNode {
  return (
    <p class="muted small picker-said">
      <span role="status">{said(reading, new Set(choices.map(({ name }) => name)).size)}</span>{" "}
      <span class="picker-keys" id={`${id}-keys`}>
        {t("keys")}
      </span>
    </p>
  );
}

function said(reading: boolean, count: number): string {
  if (reading) return t("reading");
  if (count === 0) return t("none");
  return count >= SHOWN ? t("more", { n: SHOWN }) : t("found", { n: count });
}

interface FiltersProps {
  readonly chosen: Filter;
  readonly onChoose: (filter: Filter) => void;
}

function Filters({ chosen, onChoose }: FiltersProps): VNode {
  return (
    <div class="picker-filters" role="group" aria-label={t("filters")}>
      {FILTERS.map((filter) => (
        <button key={filter} type="button" aria-pressed={filter === chosen} onClick={() => onChoose(filter)}>
          {t(`filter_${filter}`)}
        </button>
      ))}
    </div>
  );
}

interface Offers {
  readonly offers: readonly Offer[];
  readonly reading: boolean;
  readonly reload: () => void;
}

/** What the providers list, as it comes. */
function useOffers(source: Source): Offers {
  const [offers, setOffers] = useState<readonly Offer[]>([]);
  const [reading, setReading] = useState(true);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const gone = { yes: false };
    setReading(true);
    const take = (next: readonly Offer[]): void => {
      if (!gone.yes) setOffers(next);
    };
    void tell(source(take)).then(() => {
      if (!gone.yes) setReading(false);
    });
    return () => {
      gone.yes = true;
    };
  }, [turn]);
  return { offers, reading, reload: () => setTurn(turn + 1) };
}

/** Whose key could be given here. A list of one provider asks for none. */
function useKeyless(isAsked: boolean, reading: boolean): readonly ProviderView[] {
  const [missing, setMissing] = useState<readonly ProviderView[]>([]);
  useEffect(() => {
    if (!isAsked || reading) return;
    void keyless().then(setMissing, () => undefined); // those with a key can be chosen all the same
  }, [isAsked, reading]);
  return missing;
}

/** So many fields for keys are no flood. */
const KEYS_MOST = 3;

function fittingOf(providers: readonly ProviderView[], query: string): readonly ProviderView[] {
  const wanted = query.toLowerCase().trim();
  if (wanted.length < 2) return [];
  const isNamed = ({ id, title, aliases }: ProviderView): boolean =>
    [id, title, ...aliases].some(
      (name) => name.toLowerCase().includes(wanted) || wanted.startsWith(`${name.toLowerCase()}/`),
    );
  return providers.filter(isNamed).slice(0, KEYS_MOST);
}
