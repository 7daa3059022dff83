/** The models of `/v1`: the agent on its active model and on each model of the configuration, and the other agents. */
import { type ModelRef } from "@margay/core";
import { type Audience, modelInfo } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import { modelRef } from "../../config/agent-settings.ts";
import { agentNames } from "../../host/agents.ts";
import { effectiveModel } from "../../models/choose-model.ts";
import { findVendor } from "../../models/catalog.ts";
import { Problem } from "../../host/api/problem.ts";

export const AGENT = "margay";

export interface ChosenModel {
  /** As the client named it: answers repeat it. */
  readonly id: string;
  /** Null: the active one. */
  readonly ref: ModelRef | null;
  /** `margay/NAME`. Null: the one that the bindings give. */
  readonly agent: string | null;
}

/** `margay` first, other agents behind it. @param reader For whom the token acts. */
export function modelIds(config: Config, reader: Audience): readonly string[] {
  const configured = [
    effectiveModel(config),
    ...config.fallbackModels,
    ...Object.keys(config.models),
    ...Object.keys(config.providers).map((id) => {
      const model = findVendor(id)?.defaultModel;
      return model === undefined ? null : `${id}/${model}`;
    }),
  ];
  const names = [...(agentNames(config, reader) ?? []), ...configured];
  return [AGENT, ...new Set(names.flatMap((name) => (name === null ? [] : [`${AGENT}/${name}`])))];
}

/** @throws Problem `model.not-found`. */
export function chooseModel(id: string, config: Config, reader: Audience): ChosenModel {
  if (!modelIds(config, reader).includes(id))
    throw new Problem("model.not-found", {
      detail: `The model ${JSON.stringify(id)} does not exist here. GET /v1/models lists those there are; "${AGENT}" is always one.`,
      more: { code: "model_not_found", param: "model" },
    });
  const name = id.slice(AGENT.length + 1);
  // The name of a model has a slash, that of an agent none.
  if (id === AGENT || !name.includes("/")) return { id, ref: null, agent: id === AGENT ? null : name };
  return { id, ref: modelRef(name), agent: null };
}

/** What can be shown to a model besides text. */
export interface Senses {
  readonly images: boolean;
  /** PDF, as it is. */
  readonly files: boolean;
}

/** Practice mode and unknown models are shown pictures. */
export function sensesOf({ ref, agent }: ChosenModel, config: Config): Senses {
  const active = (agent === null ? undefined : config.agents[agent]?.model) ?? effectiveModel(config);
  const meant = ref ?? (active === null ? null : modelRef(active));
  if (meant === null) return { images: true, files: false };
  const vendor = findVendor(meant.provider);
  const api = config.providers[meant.provider]?.api ?? vendor?.api;
  const quirks = api === vendor?.api ? vendor?.quirks : undefined; // a vendor's quirks are those of its own API
  return {
    images: quirks?.images !== false && modelInfo(meant.provider, meant.model).images,
    files: quirks?.files ?? (api !== undefined && api !== "openai-chat"),
  };
}

export function modelObject(id: string, created: number): object {
  return { id, object: "model", created, owned_by: AGENT };
}
