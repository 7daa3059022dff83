// tool/1 and hook/1 are frozen: what is written against them works as long as these types fit, which `npm run check` says.
import { expectTypeOf, test } from "vitest";
import type * as Now from "../../../src/plugin.ts";
import type * as Hook from "./hook-1.d.ts";
import type * as Tool from "./tool-1.d.ts";

test("PL5 what a plugin of tool/1 and of hook/1 makes is what margay takes", () => {
  expectTypeOf<Tool.ToolPlugin>().toExtend<Now.ToolPlugin>();
  // Methods are not looked at as strictly as what they are given: that is named here.
  expectTypeOf<Tool.PluginTool>().toExtend<Now.PluginTool>();
  expectTypeOf<Tool.PluginResult>().toExtend<Now.PluginResult>();
  expectTypeOf<Tool.PluginPart>().toExtend<Now.PluginPart>();
  expectTypeOf<Tool.PluginRequest>().toExtend<Now.PluginRequest>();
  expectTypeOf<Hook.HookPlugin>().toExtend<Now.HookPlugin>();
  expectTypeOf<Hook.HookAnswer>().toExtend<Now.HookAnswer>();
  expectTypeOf<Hook.HookPoint>().toExtend<Now.HookPoint>();
});

test("PL5 what margay gives is what a plugin of tool/1 and of hook/1 knows", () => {
  expectTypeOf<Now.ToolPluginHost>().toExtend<Tool.ToolPluginHost>();
  expectTypeOf<Now.PluginCall>().toExtend<Tool.PluginCall>();
  expectTypeOf<Now.PluginFiles>().toExtend<Tool.PluginFiles>();
  expectTypeOf<Now.PluginResponse>().toExtend<Tool.PluginResponse>();
  expectTypeOf<Now.PluginCommand>().toExtend<Tool.PluginCommand>();
  expectTypeOf<Now.HookEvent>().toExtend<Hook.HookEvent>();
});
