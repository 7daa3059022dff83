/** What is there already, one click each: servers on this machine, keys of the environment, addresses typed before. */
import type { VNode } from "preact";
import type { z } from "zod";
import type { ActiveModel, DetectedSchema, ProviderView } from "../../../providers/schema.ts";
import { Icon } from "../../../../web/ui/icon.tsx";
import { ModelField } from "../../../../web/models/model-field.tsx";
import { offersOf } from "../../../../web/models/offers.ts";
import { t } from "../texts.ts";
import type { Trial } from "./trial.ts";
import { Verdict } from "./verdict.tsx";

export type Detected = z.infer<typeof DetectedSchema>;

/** A model in a list of names that is for texts, not for talk. */
const NO_CHAT = /embed|rerank|whisper/i;
/** Names in a card: more nobody reads there. */
const NAMED = 3;

export interface Card {
  readonly id: string;
  readonly provider: string;
  readonly title: string;
  /** After the title: the address. */
  readonly place?: string;
  readonly note: string;
  readonly badge?: string;
  /** Taken with the first click; empty: it has to be named. */
  readonly model: string;
}

/** @param now The model that is set up. */
export function cardsOf(
  found: Detected,
  providers: readonly ProviderView[],
  now: ActiveModel["chain"][number] | undefined,
): readonly Card[] {
  const titleOf = (id: string): string => providers.find((one) => one.id === id)?.title ?? id;
  const [provider = ""] = now?.model.split("/", 1) ?? [];
  const current =
    now === undefined
      ? []
      : [
          {
            id: `now ${now.model}`,
            provider,
            title: titleOf(provider),
            place: now.model.slice(provider.length + 1),
            note: now.missingKey === undefined ? t("now") : t("nowNoKey", { variable: now.missingKey }),
            model: now.model.slice(provider.length + 1),
          },
        ];
  const local = found.local.map(({ provider, url, models }): Card => {
    const chats = models.filter((name) => !NO_CHAT.test(name));
    return {
      id: `server ${url}`,
      provider,
      title: titleOf(provider),
      place: hostOf(url),
      note: t("serverModels", { n: models.length, names: models.slice(0, NAMED).join(t("comma")) }),
      badge: t("free"),
      model: chats[0] ?? models[0] ?? "",
    };
  });
  const keys = found.env.map(({ provider, variable }): Card => ({
    id: `key ${variable}`,
    provider,
    title: variable,
    note: t("foundKey"),
    badge: titleOf(provider),
    model: providers.find(({ id }) => id === provider)?.models[0] ?? "",
  }));
  const typed = providers
    .filter(
      ({ id, group, configured, baseUrl }) =>
        group === "custom" && configured && baseUrl !== undefined && id !== provider,
    )
    .map(({ id, title, baseUrl = "", models }): Card => ({
      id: `typed ${id}`,
      provider: id,
      title,
      place: hostOf(baseUrl),
      note: t("typedBefore"),
      model: models[0] ?? "",
    }));
  return [...current, ...local, ...keys, ...typed];
}

/** Of a service whose models nobody named yet, the first one that talks. */
export async function firstListed({ provider, title }: Card): Promise<string | undefined> {
  let names: readonly string[] = [];
  await offersOf(
    provider,
    title,
  )((offers) => {
    names = offers.flatMap(({ models }) => models.map(({ id }) => id.slice(provider.length + 1)));
  });
  return names.find((name) => !NO_CHAT.test(name)) ?? names[0];
}

interface Props {
  readonly cards: readonly Card[];
  /** So many usual ports were looked at. */
  readonly ports: number;
  readonly chosen: string | undefined;
  readonly trial: Trial | undefined;
  readonly onCard: (card: Card) => void;
  /** Another model of the chosen card, as `provider/model`. */
  readonly onModel: (card: Card, name: string) => void;
  readonly isOther: boolean;
  readonly onOther: () => void;
  readonly again: () => void;
}

export function FoundCards({ cards, ports, chosen, trial, onCard, onModel, isOther, onOther, again }: Props): VNode {
  const model = trial?.wanted.model ?? "";
  return (
    <section class="stack" aria-labelledby="welcome-found">
      <h2 id="welcome-found">{t(cards.length === 0 ? "nothing" : "found")}</h2>
      <ul class="welcome-cards">
        {cards.map((card) => (
          <li key={card.id} class="welcome-choice" data-chosen={card.id === chosen}>
            <button type="button" aria-pressed={card.id === chosen} onClick={() => onCard(card)}>
              <span class="welcome-dot" aria-hidden="true" />
              <span class="grow">
                <strong>{card.title}</strong> {card.place !== undefined && <code>{card.place}</code>}
                <span class="welcome-note">{card.note}</span>
              </span>
              {card.badge !== undefined && (
                <span class={card.id.startsWith("server") ? "badge ok" : "badge"}>{card.badge}</span>
              )}
            </button>
            {card.id === chosen && (
              <ModelField
                label={t("model")}
                value={model === "" ? "" : `${card.provider}/${model}`}
                source={offersOf(card.provider, card.title)}
                onValue={(name) => onModel(card, name)}
              />
            )}
            {card.id === chosen && <Verdict trial={trial} />}
          </li>
        ))}
        <li class="welcome-choice other" data-chosen={isOther}>
          <button type="button" aria-pressed={isOther} onClick={onOther}>
            <Icon name="plus" />
            <span class="grow">
              <strong>{t("other")}</strong>
              <span class="welcome-note">{t("otherWhy")}</span>
            </span>
          </button>
        </li>
      </ul>
      <p class="muted small">
        {t(cards.some(({ id }) => id.startsWith("server")) ? "looked" : "lookedNothing", { n: ports })}{" "}
        <button type="button" class="welcome-link" onClick={again}>
          {t("again")}
        </button>
      </p>
    </section>
  );
}

/** `127.0.0.1:11434`, whatever the rest of the address. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
