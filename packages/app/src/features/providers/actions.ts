/** What the terminal chat asks under an error: another model that could answer, and a new key in the place of a refused one. */
import { z } from "zod";
import { operation, type OperationContext } from "../../host/control/operation.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { words } from "../../host/api/words.ts";
import { translator } from "../../texts/translate.ts";
import { TEXT } from "./api-texts.ts";
import { draftOf, modelsPatch, providerPatch } from "./draft.ts";
import { insteadOf } from "./instead.ts";
import { ProviderId } from "./schema.ts";
import { testProvider } from "./test-provider.ts";
import { providerNamed } from "./view.ts";

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
    ({ model }, { app, services }): string | null =>
      insteadOf(model, app.inside.loaded(), services.loadOptions.env).fallback ?? null,
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
  await changeSettings(patchEdits(patch, caller), caller, { dryRun: false });
  return { saved: true };
}
