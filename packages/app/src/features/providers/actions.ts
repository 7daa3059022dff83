/** What the terminal chat asks under an error: another model that could answer, and a new key in the place of a refused one. */
import { z } from "zod";
import { modelRef } from "../../config/agent-settings.ts";
import { operation, type OperationContext } from "../../host/control/operation.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { words } from "../../host/api/words.ts";
import { translator } from "../../texts/translate.ts";
import { TEXT } from "./api-texts.ts";
import { draftOf, modelsPatch, providerPatch } from "./draft.ts";
import { ProviderId } from "./schema.ts";
import { testProvider } from "./test-provider.ts";
import { activeModel, namedModels, providerNamed, providerViews } from "./view.ts";

const NewKey = z.strictObject({
  provider: ProviderId,
  key: z.string().min(1).max(4000),
  language: z.enum(["en", "zh-CN"]),
});

export const PROVIDER_OPERATIONS = {
  /**
   * The next of the configured order that has its key, else one of another provider that can be used.
   * @param model that does not answer, as `provider/model`.
   */
  "providers.instead": operation(
    z.strictObject({ model: z.string() }),
    ({ model }, { app, services }): string | null => {
      const loaded = app.inside.loaded();
      const { env } = services.loadOptions;
      const { chain } = activeModel(loaded, env, "");
      const next = chain.find((one) => one.model !== model && one.missingKey === undefined)?.model;
      if (next !== undefined) return next;
      const usable = new Map(
        providerViews(loaded, env, "en").flatMap((one) =>
          one.usable && one.configured ? [[one.id, one] as const] : [],
        ),
      );
      const { provider } = modelRef(model);
      const named = namedModels(loaded.config).find((one) => {
        const other = modelRef(one).provider;
        return other !== provider && usable.has(other);
      });
      if (named !== undefined) return named;
      const other = [...usable.values()].find(({ id, models }) => id !== provider && models.length > 0);
      return other === undefined ? null : `${other.id}/${other.models[0] ?? ""}`;
    },
  ),
  /** Tried before it is saved: one that does not work replaces none. */
  "providers.newKey": operation(NewKey, newKey),
} as const;

type Saved = { readonly saved: true } | { readonly saved: false; readonly reason: string };

async function newKey(
  { provider, key, language }: z.infer<typeof NewKey>,
  { app, services, signal }: OperationContext,
): Promise<Saved> {
  const { env, places } = services.loadOptions;
  const loaded = app.inside.loaded();
  const before = providerNamed(provider, loaded, env, language);
  const source = before?.key.$secret.source;
  if (source?.startsWith("env:") === true)
    return { saved: false, reason: words(language, TEXT.keyOfVariable, { name: source.slice(4) }) };
  const body = { key: { $secret: key } };
  const { config } = loaded;
  const providers = { ...config.providers, [provider]: draftOf(config.providers[provider], body) };
  const { clock } = app;
  const { redact } = app.inside;
  const tried = await testProvider(
    {
      id: provider,
      config: { ...config, providers },
      model: undefined,
      live: false,
      env,
      home: places.home,
      language,
      clock,
      redact,
    },
    signal,
  );
  const failed = tried.steps.find(({ state }) => state === "failed");
  if (failed !== undefined) return { saved: false, reason: failed.detail ?? words(language, TEXT.keyRefusedToo) };
  const caller = { services, t: translator(language) };
  const patch = { providers: { [provider]: providerPatch(provider, body) }, ...modelsPatch(provider, body) };
  changeSettings(patchEdits(patch, caller), caller, { dryRun: false });
  return { saved: true };
}
