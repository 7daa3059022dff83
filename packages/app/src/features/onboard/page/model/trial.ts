/** Trying a model out before anything is saved: one test at a time, and what it found of which model. */
import { useRef, useState } from "preact/hooks";
import type { ModelView } from "../../../providers/schema.ts";
import type { TestResult } from "../../../../protocol/test-result.ts";
import { draftOffers, offersOf } from "../../../../web/models/offers.ts";
import { api, toProblem } from "../../../../web/panel-kit/api.ts";

/** What is typed of a provider, before it is saved. */
export interface Draft {
  readonly wire?: "openai-chat";
  readonly baseUrl?: string;
  readonly key?: { readonly $secret: string };
  readonly allowPrivate?: true;
}

/** A model as it was chosen. */
export interface Wanted {
  readonly provider: string;
  readonly title: string;
  /** Without the provider. */
  readonly model: string;
  /** Empty: as it is configured, or found. */
  readonly draft: Draft;
}

export interface Trial {
  readonly wanted: Wanted;
  /** When it began, ms since this page did. */
  readonly since: number;
  /** Absent: it still runs. */
  readonly result?: TestResult;
  /** What is known of the model, where its provider lists it. */
  readonly facts?: ModelView | undefined;
}

export interface Trying {
  readonly trial: Trial | undefined;
  start(wanted: Wanted): Promise<void>;
  clear(): void;
}

export function useTrial(): Trying {
  const [trial, setTrial] = useState<Trial | undefined>(undefined);
  const newest = useRef(0);
  return {
    trial,
    start: async (wanted) => {
      newest.current += 1;
      const mine = newest.current;
      const since = performance.now();
      setTrial({ wanted, since });
      const [result, facts] = await Promise.all([tested(wanted), factsOf(wanted)]);
      if (mine === newest.current) setTrial({ wanted, since, result, facts });
    },
    clear: () => {
      newest.current += 1;
      setTrial(undefined);
    },
  };
}

/** A test that could not even begin is one that failed, in the gateway's words. */
async function tested({ provider, model, draft }: Wanted): Promise<TestResult> {
  try {
    const asked = { id: provider, model, live: true, ...draft };
    return (await api.post<TestResult>("/providers/test", asked)).body;
  } catch (error) {
    const { code, detail, title, remedy } = toProblem(error);
    return { ok: false, steps: [], code, detail: detail || title, ...(remedy !== undefined && { remedy }) };
  }
}

async function factsOf({ provider, title, model, draft }: Wanted): Promise<ModelView | undefined> {
  const isSaved = Object.keys(draft).length === 0;
  const source = isSaved ? offersOf(provider, title) : draftOffers(provider, title, () => draft);
  let facts: ModelView | undefined;
  await source((offers) => {
    facts = offers.flatMap(({ models }) => models).find(({ id }) => id === `${provider}/${model}`);
  });
  return facts;
}
