/** The one way in which a model is chosen: a field that searches what the providers list, with what is known of each. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ModelView } from "../../features/providers/schema.ts";
import { money, tokens } from "../texts/format.ts";
import { t } from "./texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { tell } from "../ui/tell.ts";
import { allOffers, type Offer, type Source } from "./offers.ts";
import "./picker.css";

export interface PickerProps {
  readonly title: string;
  /** `provider/model`. */
  readonly value: string | undefined;
  /** Absent: every provider that can be used. */
  readonly source?: Source;
  readonly onChoose: (name: string) => unknown;
  readonly onClose: () => void;
  /** Below the list. */
  readonly children?: ComponentChildren;
}

interface Choice {
  readonly name: string;
  readonly provider: string;
  readonly model?: ModelView;
}

/** More than these nobody reads: a few letters leave less. */
const SHOWN = 100;

export function ModelPicker({ title, value, source = allOffers, onChoose, onClose, children }: PickerProps): VNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { offers, reading } = useOffers(source);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const choices = choicesOf(offers, query, value);
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    onChoose(choice.name);
  };
  const move = (by: number): void => {
    const next = (at + by + choices.length) % Math.max(1, choices.length);
    setAt(next);
    list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest" });
  };
  const problems = offers.flatMap(({ title: name, problem }) => (problem === undefined ? [] : [{ name, problem }]));
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="picker">
        <input
          class="input"
          type="text"
          role="combobox"
          aria-label={t("search")}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={choices[at] ? `${id}-${String(at)}` : undefined}
          placeholder={t("search")}
          autofocus
          spellcheck={false}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            if (event.key === "ArrowDown") move(1);
            else if (event.key === "ArrowUp") move(-1);
            else if (event.key === "Enter") choose(choices[at]);
            else return;
            event.preventDefault();
          }}
        />
        <div class="picker-list" id={id} role="listbox" aria-label={title} ref={list}>
          <Choices id={id} choices={choices} at={at} value={value} setAt={setAt} choose={choose} />
        </div>
        <p class="muted small" role="status">
          {reading
            ? t("reading")
            : choices.length === 0
              ? t("none")
              : choices.length >= SHOWN
                ? t("more", { n: SHOWN })
                : t("found", { n: choices.length })}
        </p>
        {problems.map(({ name, problem }) => (
          <p key={name} class="small warn-ink">
            {name}: {problem}
          </p>
        ))}
        {children}
      </div>
    </Dialog>
  );
}

/** What the providers list, as it comes. */
function useOffers(source: Source): { readonly offers: readonly Offer[]; readonly reading: boolean } {
  const [offers, setOffers] = useState<readonly Offer[]>([]);
  const [reading, setReading] = useState(true);
  useEffect(() => {
    const gone = { yes: false };
    const take = (next: readonly Offer[]): void => {
      if (!gone.yes) setOffers(next);
    };
    void tell(source(take)).then(() => {
      if (!gone.yes) setReading(false);
    });
    return () => {
      gone.yes = true;
    };
  }, []);
  return { offers, reading };
}

interface ChoicesProps {
  readonly id: string;
  readonly choices: readonly Choice[];
  /** The one that Enter takes. */
  readonly at: number;
  readonly value: string | undefined;
  readonly setAt: (at: number) => void;
  readonly choose: (choice: Choice) => void;
}

function Choices({ id, choices, at, value, setAt, choose }: ChoicesProps): VNode {
  return (
    <>
      {choices.map((choice, index) => (
        <div
          key={choice.name}
          id={`${id}-${String(index)}`}
          class="menu-item"
          role="option"
          aria-selected={index === at}
          onMouseMove={() => setAt(index)}
          onClick={() => choose(choice)}
        >
          <span class="grow">
            <span class="picker-name">
              {choice.model === undefined ? t("typed", { name: choice.name }) : choice.name}
            </span>
            {choice.model !== undefined && <span class="picker-facts">{factsOf(choice.model)}</span>}
          </span>
          {choice.name === value && <Icon name="check" size={16} />}
        </div>
      ))}
    </>
  );
}

/** The chosen one first, then those whose names fit all words; what was typed can be used as it is. */
function choicesOf(offers: readonly Offer[], query: string, value: string | undefined): readonly Choice[] {
  const words = query.toLowerCase().trim().split(/\s+/).filter(Boolean);
  const all = offers.flatMap(({ provider, title, models }) =>
    models.map((model) => ({ name: model.id, provider, title, model })),
  );
  const fitting = all
    .filter(({ name, title }) => words.every((word) => `${name} ${title}`.toLowerCase().includes(word)))
    .sort((a, b) => Number(b.name === value) - Number(a.name === value))
    .slice(0, SHOWN);
  const typed = query.trim();
  const [only] = offers;
  const name =
    typed === "" || /\s/.test(typed)
      ? undefined
      : offers.length === 1 && only !== undefined && !typed.startsWith(`${only.provider}/`)
        ? `${only.provider}/${typed}`
        : /^[a-z0-9][a-z0-9_.-]*\/\S+$/i.test(typed)
          ? typed
          : undefined;
  if (name === undefined || all.some((one) => one.name === name)) return fitting;
  return [...fitting, { name, provider: name.split("/", 1)[0] ?? "" }];
}

function factsOf({ window, vision, tools, thinking, price }: ModelView): string {
  const can = [vision && t("vision"), tools && t("tools"), thinking && t("thinking")].filter(Boolean);
  return [
    t("window", { n: tokens(window) }),
    price === undefined ? t("noPrice") : t("price", { input: money(price.input), output: money(price.output) }),
    ...(can.length === 0 ? [] : [can.join(", ")]),
  ].join(" · ");
}
