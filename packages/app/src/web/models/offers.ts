/** The models that can be chosen: of each provider that can be used, what it lists now, with what is known of each. */
import type { z } from "zod";
import type { DetectedSchema, ModelView, ProviderView } from "../../features/providers/schema.ts";
import { api } from "../api.ts";
import { problemFrom } from "../ui/problem.tsx";

export interface Offer {
  readonly provider: string;
  readonly title: string;
  /** Their ids are `provider/model`. */
  readonly models: readonly ModelView[];
  /** Why it is not the list of the provider itself. */
  readonly problem?: string;
}

/** Tells what there is each time one more provider has answered. */
export type Source = (tell: (offers: readonly Offer[]) => void) => Promise<void>;

/** Of every provider that has its key, and of the servers found on this machine. */
export const allOffers: Source = async (tell) => {
  const [{ body: providers }, { body: known }] = await Promise.all([
    api.get<readonly ProviderView[]>("/providers"),
    api.get<readonly ModelView[]>("/models"),
  ]);
  const offers = new Map<string, Offer>();
  const put = (offer: Offer): void => {
    offers.set(offer.provider, offer);
    tell([...offers.values()].filter(({ models, problem }) => models.length > 0 || problem !== undefined));
  };
  const wanted = providers.filter(
    ({ id, usable, configured, group }) =>
      usable && (configured || group === "cloud" || group === "china" || known.some(isOf(id))),
  );
  for (const { id, title } of wanted) put({ provider: id, title, models: known.filter(isOf(id)) });
  await Promise.all([
    ...wanted.map(async ({ id, title }) => {
      const offer = await offerOf(id, title);
      put(offer.models.length > 0 ? offer : { ...offer, models: known.filter(isOf(id)) });
    }),
    localOffers(providers, put),
  ]);
};

/** What one provider lists. */
export function offersOf(provider: string, title: string): Source {
  return async (tell) => tell([await offerOf(provider, title)]);
}

/** What a provider lists that is not saved yet. */
export function draftOffers(provider: string, title: string, draft: () => object): Source {
  return async (tell) => {
    const body = { id: provider, ...draft() };
    tell([await asked(provider, title, api.post<readonly ModelView[]>("/providers/models", body))]);
  };
}

function offerOf(provider: string, title: string): Promise<Offer> {
  return asked(provider, title, api.get<readonly ModelView[]>(`/providers/${encodeURIComponent(provider)}/models`));
}

async function asked(
  provider: string,
  title: string,
  answer: Promise<{ readonly body: readonly ModelView[] }>,
): Promise<Offer> {
  try {
    return { provider, title, models: (await answer).body };
  } catch (error) {
    return { provider, title, models: [], problem: problemFrom(error).detail };
  }
}

/** Servers that run on this machine and were not set up: they need no key. */
async function localOffers(providers: readonly ProviderView[], put: (offer: Offer) => void): Promise<void> {
  const { body } = await api.get<z.infer<typeof DetectedSchema>>("/providers/detect");
  await Promise.all(
    body.local.map(async ({ kind }) => {
      const found = providers.find(({ id }) => id === kind);
      if (found !== undefined && !found.configured) put(await offerOf(found.id, found.title));
    }),
  ).catch(() => undefined); // what else there is can be chosen
}

function isOf(provider: string): (model: ModelView) => boolean {
  return ({ id }) => id.startsWith(`${provider}/`);
}
