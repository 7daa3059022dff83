/** Which models could answer in the place of one that cannot: the same for the pages and for the terminal. */
import { modelRef } from "../../config/agent-settings.ts";
import type { Loaded } from "../../config/load.ts";
import type { InsteadView, ModelView } from "./schema.ts";
import { activeModel, modelView, namedModels, providerViews } from "./view.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Models that are configured, and the default one of each provider that could answer. */
export function offeredModels(loaded: Loaded, env: Env): readonly ModelView[] {
  const usable = providerViews(loaded, env, "en").filter(
    ({ usable, group, configured }) => usable && (configured || group === "cloud" || group === "china"),
  );
  const offered = usable.flatMap(({ id, models }) => models.map((model) => `${id}/${model}`));
  return [...new Set([...namedModels(loaded.config), ...offered])].map((name) => modelView(name, loaded.config));
}

/** @param name that does not answer, as `provider/model`. */
export function insteadOf(name: string, loaded: Loaded, env: Env): InsteadView {
  const { provider } = modelRef(name);
  const active = activeModel(loaded, env, "").chain;
  const views = providerViews(loaded, env, "en").filter((one) => one.usable && one.configured);
  const usable = new Map(views.map((one) => [one.id, one]));
  const models = offeredModels(loaded, env);
  const chain = active.filter(({ missingKey }) => missingKey === undefined).map(({ model }) => model);
  const known = [...chain, ...models.map(({ id }) => id)].filter(
    (id) => id !== name && usable.has(modelRef(id).provider),
  );
  const fallback = chain.find((id) => id !== name) ?? known.find((id) => modelRef(id).provider !== provider);
  const prices = new Map(models.map(({ id, price }) => [id, price]));
  const isFree = (id: string): boolean => {
    const price = prices.get(id);
    return price === undefined
      ? usable.get(modelRef(id).provider)?.group === "local"
      : price.input + price.output === 0;
  };
  // The models that answer in the place of the first one do so for all models of its provider.
  const [first, ...rest] = active.map(({ model }) => model);
  const isPaidInItsPlace = (id: string): boolean =>
    first !== undefined && modelRef(id).provider === modelRef(first).provider && !rest.every(isFree);
  const free = known.find((id) => isFree(id) && !isPaidInItsPlace(id));
  return { ...(fallback !== undefined && { fallback }), ...(free !== undefined && { free }) };
}
