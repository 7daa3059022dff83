/** Models that could answer in the place of one that cannot. */
import type { ActiveModel, ModelView, ProviderView } from "../../../features/providers/schema.ts";
import { api } from "../../api.ts";
import type { Chat } from "../../store/chat-state.ts";
import { patchSession, putSummary } from "../../store/sessions.ts";
import type { SessionDetail } from "../../wire.ts";

export interface Others {
  /** `provider/model`: the next of the configured order that has its key, else one of another provider that can be used. */
  readonly fallback?: string;
  /** One that costs nothing: of a server on this machine, or whose price is 0. */
  readonly free?: string;
}

export async function othersFor(current: { readonly provider: string; readonly model: string }): Promise<Others> {
  const [active, providers, models] = await Promise.all([
    api.get<ActiveModel>("/models/active"),
    api.get<readonly ProviderView[]>("/providers"),
    api.get<readonly ModelView[]>("/models"),
  ]);
  const name = `${current.provider}/${current.model}`;
  const usable = new Map(providers.body.filter((one) => one.usable && one.configured).map((one) => [one.id, one]));
  const chain = active.body.chain.filter(({ missingKey }) => missingKey === undefined).map(({ model }) => model);
  const known = [...chain, ...models.body.map(({ id }) => id)].filter(
    (id) => id !== name && usable.has(providerOf(id)),
  );
  const prices = new Map(models.body.map(({ id, price }) => [id, price]));
  const fallback = chain.find((id) => id !== name) ?? known.find((id) => providerOf(id) !== current.provider);
  const isFree = (id: string): boolean => {
    const price = prices.get(id);
    return price === undefined ? usable.get(providerOf(id))?.group === "local" : price.input + price.output === 0;
  };
  // The models that answer in the place of the first one do so for all models of its provider.
  const [first, ...rest] = active.body.chain.map(({ model }) => model);
  const isPaidInItsPlace = (id: string): boolean =>
    first !== undefined && providerOf(id) === providerOf(first) && !rest.every(isFree);
  const free = known.find((id) => isFree(id) && !isPaidInItsPlace(id));
  return { ...(fallback !== undefined && { fallback }), ...(free !== undefined && { free }) };
}

/** For this chat alone. */
export async function switchTo(chat: Chat, { id }: SessionDetail, model: string): Promise<void> {
  const body = await patchSession(id, { model });
  chat.setDetail(body);
  putSummary(body);
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf("/"));
}
