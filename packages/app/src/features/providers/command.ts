/** `margay models list|test|use`. */
import { RuntimeError } from "@margay/core";
import { nearest, messageOf, toErrorInfo } from "@margay/core/internal";
import { saveChanges } from "../../config/save.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { exitCode } from "../../host/cli/failure.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

export const listModels: Run = async (cli, input) => {
  const { effectiveModel, knownProviders } = await import("../../models/model-check.ts");
  const { config } = cli.load();
  const model = effectiveModel(config);
  const wanted = input.args[0]?.toLowerCase();
  const providers = knownProviders(config, cli.environment.env).filter(
    (one) => wanted === undefined || `${one.id} ${one.name} ${one.defaultModel ?? ""}`.toLowerCase().includes(wanted),
  );
  if (cli.json) {
    cli.terminal.out(jsonLine({ current: model, providers }));
    return EXIT.done;
  }
  const current = model ?? "practice";
  cli.terminal.out(`${safeText(current)} (${cli.t("models.current")})\n`);
  cli.terminal.out(
    table(
      providers.map((one) => [
        safeText(one.id),
        safeText(one.name),
        one.defaultModel === undefined ? "–" : `${one.id}/${one.defaultModel}`,
        one.variables.length === 0 || one.hasKey
          ? cli.t("models.keySet")
          : cli.t("models.keyMissing", { variable: one.variables[0] ?? "" }),
      ]),
    ),
  );
  return EXIT.done;
};

export const testModel: Run = async (cli, input) => {
  const { effectiveModel, probeModel } = await import("../../models/model-check.ts");
  const { config } = cli.load();
  const model = input.args[0] ?? effectiveModel(config);
  if (model === null) {
    cli.terminal.err(`${cli.t("agent.practice")}\n`);
    return EXIT.config;
  }
  await refuseUnknown(cli, model);
  try {
    const { ms, usage } = await probeModel(
      model,
      { config, env: cli.environment.env, home: cli.places.home },
      cli.signal,
    );
    cli.terminal.out(
      cli.json
        ? jsonLine({ model, ok: true, ms, usage })
        : `${cli.t("models.works", { model: safeText(model), ms })}\n`,
    );
    return EXIT.done;
  } catch (error) {
    if (cli.signal.aborted) throw error;
    const { code, message } = toErrorInfo(error);
    if (cli.json) cli.terminal.out(jsonLine({ model, ok: false, error: { code, message } }));
    else
      cli.terminal.err(
        `${cli.t("models.fails", { model: safeText(model), message: safeText(messageOf(error)) })} [${code}]\n`,
      );
    return exitCode(error);
  }
};

export const useModel: Run = async (cli, input) => {
  const [model = ""] = input.args;
  await refuseUnknown(cli, model);
  const { missingKey } = await import("../../models/model-check.ts");
  const { config } = cli.load();
  await saveChanges([{ path: "model", value: model }], { places: cli.places, env: cli.environment.env, t: cli.t });
  const variable = missingKey(model, config, cli.environment.env);
  cli.terminal.out(
    cli.json
      ? jsonLine({ model, ...(variable !== undefined && { missingKey: variable }) })
      : `${cli.t("models.used", { model: safeText(model) })}\n`,
  );
  if (variable !== undefined && !cli.json)
    cli.terminal.err(
      `${cli.t("error.noKey", { model: safeText(model), variable, provider: model.slice(0, model.indexOf("/")) })}\n`,
    );
  return EXIT.done;
};

async function refuseUnknown(cli: Cli, model: string): Promise<void> {
  const { knownModel, knownProviders } = await import("../../models/model-check.ts");
  const { config } = cli.load();
  if (knownModel(model, { config, home: cli.places.home }) !== undefined) return;
  const names = knownProviders(config, cli.environment.env).flatMap((one) =>
    one.defaultModel === undefined ? [] : [`${one.id}/${one.defaultModel}`],
  );
  const provider = model.split("/")[0] ?? model;
  const near =
    nearest(model, names) ??
    names.find((name) =>
      name.startsWith(
        `${
          nearest(
            provider,
            names.map((one) => one.split("/")[0] ?? one),
          ) ?? provider
        }/`,
      ),
    );
  const hint = near === undefined ? "" : cli.t("error.didYouMean", { name: near });
  throw new RuntimeError("provider.unknown", cli.t("models.unknown", { model: safeText(model), hint }));
}
