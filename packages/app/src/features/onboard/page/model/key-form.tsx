/** A model by a key, or at an address: what is typed becomes a draft, and its list fills the field of the model. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ProviderView } from "../../../providers/schema.ts";
import { Button } from "../../../../web/ui/button.tsx";
import { Check, PasswordField, TextField } from "../../../../web/ui/field.tsx";
import { announce } from "../../../../web/lib/announce.ts";
import { ModelField } from "../../../../web/models/model-field.tsx";
import { draftOffers, type Offer } from "../../../../web/models/offers.ts";
import { t } from "../texts.ts";
import { asAddress, isLocal } from "./address.ts";
import { hostOf } from "./found.tsx";
import { ProviderSearch } from "./provider-search.tsx";
import type { Draft, Trial, Wanted } from "./trial.ts";
import { Verdict } from "./verdict.tsx";

export interface FormProps {
  readonly providers: readonly ProviderView[];
  /** It is an address that is asked for: any server that speaks as OpenAI's does. */
  readonly isOther: boolean;
  /** The test of what stands in this form, where that was the last one. */
  readonly trial: Trial | undefined;
  readonly onTest: (wanted: Wanted) => void;
  /** Something else is typed than was tested. */
  readonly onEdit: () => void;
}

/** After the last letter of a key: then its provider is asked for its models. */
const TYPED_MS = 400;
/** Shorter ones are still being typed. */
const KEY_LEAST = 8;

export function KeyForm({ providers, isOther, trial, onTest, onEdit }: FormProps): VNode {
  const typed = useTyped(providers, isOther, onEdit);
  const { id, title, provider, draft, wanted, isReady, offer } = typed;
  const address = (
    <Address
      value={typed.address}
      usual={provider?.baseUrl}
      isMeant={typed.isMeant}
      onValue={typed.setAddress}
      onMeant={typed.setMeant}
    />
  );
  return (
    <form
      class="welcome-form stack"
      aria-labelledby="welcome-key"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onTest({ provider: id, title, model: wanted, draft });
      }}
    >
      <h2 id="welcome-key">{t(isOther ? "byAddress" : "byKey")}</h2>
      {isOther ? address : <ProviderSearch providers={typed.listed} chosen={provider} onChoose={typed.setProvider} />}
      <KeyField provider={provider} value={typed.key} onValue={typed.setKey} />
      <div class="welcome-model">
        <div class="grow">
          <ModelField
            label={t("model")}
            {...(offer?.problem !== undefined && { hint: t("listNot") })}
            value={wanted === "" ? "" : `${id}/${wanted}`}
            onValue={(name) => typed.setModel(name.slice(id.length + 1))}
            source={draftOffers(id, title, () => draft)}
          />
        </div>
        <Button type="submit" icon="bolt" disabled={!isReady} busy={trial !== undefined && trial.result === undefined}>
          {t("test")}
        </Button>
      </div>
      {!isOther && (
        <details>
          <summary>
            {t("baseUrl")} <code>{draft.baseUrl ?? provider?.baseUrl ?? ""}</code>
          </summary>
          {address}
        </details>
      )}
      <Verdict trial={trial} />
    </form>
  );
}

/** What stands in the form, and what of it can be tested. Whatever is changed ends what was tested before. */
function useTyped(providers: readonly ProviderView[], isOther: boolean, onEdit: () => void) {
  const listed = providers.filter(({ group }) => group === "cloud" || group === "china");
  const [chosen, setChosen] = useState<ProviderView | undefined>(listed[0]);
  const [key, setKey] = useState("");
  const [address, setAddress] = useState("");
  const [isMeant, setMeant] = useState(false);
  const [model, setModel] = useState("");
  const provider = isOther ? undefined : chosen;
  const id = provider?.id ?? newId(providers);
  const title = provider?.title ?? hostOf(asAddress(address));
  const draft = draftOf({ isOther, key, address, isMeant });
  const isWhole = isComplete(draft, isOther);
  const offer = useOffer({ id, title, draft, isReady: isWhole });
  const wanted = model === "" ? usualOf(provider, offer) : model;
  const choose = (next: ProviderView): void => {
    setChosen(next);
    setModel("");
    onEdit();
  };
  return {
    ...{ listed, provider, id, title, draft, offer, wanted, key, address, isMeant },
    isReady: wanted !== "" && (isWhole || provider?.usable === true),
    setProvider: choose,
    setKey: (next: string): void => {
      setKey(next);
      onEdit();
      const owner = isOther ? undefined : ownerOf(next, listed);
      if (owner === undefined || owner.id === chosen?.id) return;
      choose(owner);
      announce(t("keyIsOf", { provider: owner.title }));
    },
    setAddress: edits(setAddress, onEdit),
    setMeant: edits(setMeant, onEdit),
    setModel: edits(setModel, onEdit),
  };
}

function edits<Value>(set: (value: Value) => void, onEdit: () => void): (value: Value) => void {
  return (value) => {
    set(value);
    onEdit();
  };
}

/** Most keys say by their first letters whose they are. */
function ownerOf(key: string, providers: readonly ProviderView[]): ProviderView | undefined {
  return providers.find(({ keyPrefixes }) => keyPrefixes.some((start) => key.trim().startsWith(start)));
}

/** The provider's usual model, where it lists that or nothing; else the first one of its list. */
function usualOf(provider: ProviderView | undefined, offer: Offer | undefined): string {
  const names = offer?.models.map(({ id }) => id.slice(offer.provider.length + 1)) ?? [];
  const usual = provider?.models[0];
  return usual !== undefined && (names.length === 0 || names.includes(usual)) ? usual : (names[0] ?? "");
}

interface KeyProps {
  readonly provider: ProviderView | undefined;
  readonly value: string;
  readonly onValue: (key: string) => void;
}

function KeyField({ provider, value, onValue }: KeyProps): VNode {
  const source = provider?.key.$secret.source;
  const variable = source?.startsWith("env:") === true ? source.slice("env:".length) : undefined;
  const page = provider?.keyPage;
  const kept =
    provider?.key.$secret.set !== true ? undefined : variable === undefined ? t("keyKept") : t("keyOf", { variable });
  return (
    <div class="welcome-key">
      <PasswordField
        label={t(provider === undefined ? "keyOptional" : "key")}
        value={value}
        onValue={onValue}
        autocomplete="off"
        spellcheck={false}
        {...(kept !== undefined && { hint: kept })}
      />
      {page !== undefined && (
        <a class="welcome-get" href={page} target="_blank" rel="noopener noreferrer">
          {t("getKey", { host: hostOf(page) })}
        </a>
      )}
    </div>
  );
}

interface AddressProps {
  readonly value: string;
  readonly usual: string | undefined;
  readonly isMeant: boolean;
  readonly onValue: (address: string) => void;
  readonly onMeant: (isMeant: boolean) => void;
}

function Address({ value, usual, isMeant, onValue, onMeant }: AddressProps): VNode {
  return (
    <>
      <TextField
        label={t("address")}
        hint={t("addressWhy")}
        value={value}
        onValue={onValue}
        inputMode="url"
        spellcheck={false}
        placeholder={usual ?? "http://192.168.1.20:1234/v1"}
      />
      {isLocal(asAddress(value)) && <Check label={t("allowPrivate")} checked={isMeant} onChecked={onMeant} />}
    </>
  );
}

interface Typed {
  readonly isOther: boolean;
  readonly key: string;
  readonly address: string;
  readonly isMeant: boolean;
}

function draftOf({ isOther, key, address, isMeant }: Typed): Draft {
  const baseUrl = asAddress(address);
  return {
    ...(isOther && { wire: "openai-chat" }),
    ...(baseUrl !== "" && { baseUrl }),
    ...(key.trim() !== "" && { key: { $secret: key.trim() } }),
    ...(isMeant && { allowPrivate: true }),
  };
}

/** Enough of it stands there to ask the provider. */
function isComplete({ baseUrl = "", key, allowPrivate }: Draft, isOther: boolean): boolean {
  if (baseUrl !== "" && (!URL.canParse(baseUrl) || (isLocal(baseUrl) && allowPrivate !== true))) return false;
  return isOther ? baseUrl !== "" : (key?.$secret.length ?? 0) >= KEY_LEAST;
}

/** An address of its own, however many there are. */
function newId(providers: readonly ProviderView[]): string {
  const taken = new Set(providers.map(({ id }) => id));
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? "custom" : `custom-${String(n)}`;
    if (!taken.has(id)) return id;
  }
}

interface Asked {
  readonly id: string;
  readonly title: string;
  readonly draft: Draft;
  readonly isReady: boolean;
}

/** What the provider of the draft lists, asked once it is typed. */
function useOffer({ id, title, draft, isReady }: Asked): Offer | undefined {
  const [offer, setOffer] = useState<Offer | undefined>(undefined);
  const asked = isReady ? JSON.stringify([id, draft]) : undefined;
  useEffect(() => {
    setOffer(undefined);
    if (asked === undefined) return undefined;
    const gone = { yes: false };
    const timer = setTimeout(() => {
      void draftOffers(
        id,
        title,
        () => draft,
      )(([first]) => {
        if (!gone.yes) setOffer(first);
      });
    }, TYPED_MS);
    return () => {
      gone.yes = true;
      clearTimeout(timer);
    };
  }, [asked]);
  return offer;
}
