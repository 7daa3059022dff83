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
  /** It runs on this machine: nothing is paid. */
  readonly isLocal: boolean;
  /** It is being asked: these are the ones that are known without it. */
  readonly isReading: boolean;
  /** Why it is not the list of the provider itself. */
  readonly problem?: string;
}

/** Tells what there is each time one more provider has answered. */
export type Source = (tell: (offers: readonly Offer[]) => void) => Promise<void>;

type Named = Pick<ProviderView, "id" | "title"> & Partial<Pick<ProviderView, "group">>;

/** Of every provider that has its key, and of the servers found on this machine. */
export const allOffers: Source = async (tell) => {
  const [{ body: providers }, { body: known }] = await Promise.all([
    api.get<readonly ProviderView[]>("/providers"),
    api.get<readonly ModelView[]>("/models"),
  ]);
  const offers = new Map<string, Offer>();
  const put = (offer: Offer): void => {
    offers.set(offer.provider, offer);
    const shown = [...offers.values()].filter(({ models, problem }) => models.length > 0 || problem !== undefined);
    tell(shown);
  };
  const wanted = providers.filter(
    ({ id, usable, configured, group }) =>
      usable && (configured || group === "cloud" || group === "china" || known.some(isOf(id))),
  );
  for (const one of wanted) put({ ...offerFrom(one, known.filter(isOf(one.id))), isReading: true });
  await Promise.all([
    ...wanted.map(async (one) => {
      const offer = await offerOf(one);
      put(offer.models.length > 0 ? offer : { ...offer, models: known.filter(isOf(one.id)) });
    }),
    localOffers(providers, put),
  ]);
};

/** What one provider lists. */
export function offersOf(provider: string, title: string): Source {
  return async (tell) => tell([await offerOf({ id: provider, title })]);
}

/** What a provider lists that is not saved yet. */
export function draftOffers(provider: string, title: string, draft: () => object): Source {
  return async (tell) => {
    const body = { id: provider, ...draft() };
    tell([await asked({ id: provider, title }, api.post<readonly ModelView[]>("/providers/models", body))]);
  };
}

/** Those in the cloud that only miss their key. */
export async function keyless(): Promise<readonly ProviderView[]> {
  const { body } = await api.get<readonly ProviderView[]>("/providers");
  return body.filter(({ usable, group }) => !usable && (group === "cloud" || group === "china"));
}

function offerOf(provider: Named): Promise<Offer> {
  const path = `/providers/${encodeURIComponent(provider.id)}/models`;
  return asked(provider, api.get<readonly ModelView[]>(path));
}

async function asked(provider: Named, answer: Promise<{ readonly body: readonly ModelView[] }>): Promise<Offer> {
  try {
    return offerFrom(provider, (await answer).body);
  } catch (error) {
    return { ...offerFrom(provider, []), problem: problemFrom(error).detail };
  }
}

function offerFrom({ id, title, group }: Named, models: readonly ModelView[]): Offer {
  return { provider: id, title, models, isLocal: group === "local", isReading: false };
}

/** Servers that run on this machine and were not set up: they need no key. */
async function localOffers(providers: readonly ProviderView[], put: (offer: Offer) => void): Promise<void> {
  const { body } = await api.get<z.infer<typeof DetectedSchema>>("/providers/detect");
  await Promise.all(
    body.local.map(async ({ provider }) => {
      const found = providers.find(({ id }) => id === provider);
      if (found !== undefined && !found.configured) put(await offerOf(found));
    }),
  ).catch(() => undefined); // what else there is can be chosen
}

function isOf(provider: string): (model: ModelView) => boolean {
  return ({ id }) => id.startsWith(`${provider}/`);
}
