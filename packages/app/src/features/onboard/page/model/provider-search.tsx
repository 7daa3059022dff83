/** Whose key it is: a field that finds a provider by its name, what else it is called, and the first letters of its pinyin. */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { ProviderView } from "../../../providers/schema.ts";
import { fuzzyScore } from "../../../../web/lib/fuzzy.ts";
import { initials } from "../../../../web/lib/pinyin.ts";
import { Field } from "../../../../web/ui/field.tsx";
import { Icon } from "../../../../web/ui/icon.tsx";
import { t } from "../texts.ts";

interface Props {
  readonly providers: readonly ProviderView[];
  readonly chosen: ProviderView | undefined;
  readonly onChoose: (provider: ProviderView) => void;
}

export function ProviderSearch({ providers, chosen, onChoose }: Props): VNode {
  const id = useId();
  /** Undefined: nothing is being searched, and the chosen one stands in the field. */
  const [query, setQuery] = useState<string | undefined>(undefined);
  const [at, setAt] = useState(0);
  const fitting = query === undefined ? [] : fittingOf(providers, query);
  const take = (provider: ProviderView | undefined): void => {
    setQuery(undefined);
    if (provider !== undefined) onChoose(provider);
  };
  const open = (text: string): void => {
    setQuery(text);
    setAt(0);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0 && query === undefined) open("");
    else if (by !== 0) setAt((at + by + fitting.length) % Math.max(1, fitting.length));
    else if (event.key === "Enter" && query !== undefined) take(fitting[at]);
    else if (event.key === "Escape" && query !== undefined) take(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <Field label={t("provider")}>
      {(control) => (
        <div class="welcome-search">
          <Icon name="search" size={16} />
          <input
            {...control}
            class="input"
            type="text"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            aria-expanded={query !== undefined}
            aria-controls={`${id}-list`}
            aria-activedescendant={fitting[at] === undefined ? undefined : `${id}-${String(at)}`}
            placeholder={t("providerSearch", { n: providers.length })}
            value={query ?? chosen?.title ?? ""}
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => open(event.currentTarget.value)}
            onClick={() => {
              if (query === undefined) open("");
            }}
            onKeyDown={onKey}
            onBlur={() => setQuery(undefined)}
          />
          {query !== undefined && (
            <span class="welcome-count" aria-hidden="true">
              {fitting.length} / {providers.length}
            </span>
          )}
          <div class="visually-hidden" role="status">
            {query !== undefined && t("providersFound", { n: fitting.length })}
          </div>
          <Options
            id={id}
            isOpen={query !== undefined}
            fitting={fitting}
            at={at}
            chosen={chosen}
            onAt={setAt}
            onTake={take}
          />
        </div>
      )}
    </Field>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly fitting: readonly ProviderView[];
  readonly at: number;
  readonly chosen: ProviderView | undefined;
  readonly onAt: (at: number) => void;
  readonly onTake: (provider: ProviderView) => void;
}

function Options({ id, isOpen, fitting, at, chosen, onAt, onTake }: OptionsProps): VNode {
  return (
    <ul id={`${id}-list`} role="listbox" aria-label={t("provider")} hidden={!isOpen}>
      {fitting.map((provider, index) => (
        <li
          key={provider.id}
          id={`${id}-${String(index)}`}
          role="option"
          class="menu-item"
          aria-selected={index === at}
          onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
          onMouseMove={() => onAt(index)}
          onClick={() => onTake(provider)}
        >
          <span class="grow">
            {provider.title} {provider.usable && <span class="muted small">{t("hasKey")}</span>}
          </span>
          {provider.id === chosen?.id && <Icon name="check" size={16} />}
        </li>
      ))}
    </ul>
  );
}

/** The best first; all in their order while nothing is typed. */
function fittingOf(providers: readonly ProviderView[], query: string): readonly ProviderView[] {
  if (query.trim() === "") return providers;
  return providers
    .map((provider) => ({ provider, score: scoreOf(provider, query) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ provider }) => provider);
}

/** Letters scattered over a name find too much here: they are below what counts. */
const LEAST = 301;

function scoreOf({ id, title, aliases }: ProviderView, query: string): number {
  const scores = [title, id, ...aliases].flatMap((name) => [
    fuzzyScore(query, name) ?? 0,
    (fuzzyScore(query, initials(name)) ?? 0) - 1,
  ]);
  const best = Math.max(...scores);
  return best >= LEAST ? best : 0;
}
