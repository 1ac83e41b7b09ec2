/**
 * A client whose traffic is recorded, and another that gets it from the recording: both without the rest of ally.
 */
import type { Model } from "../../src/core/model.ts";
import { createModel } from "../../src/model/client.ts";
import { Recorder } from "../../src/recording/record.ts";
import { Replay } from "../../src/recording/replay.ts";
import { parseRecording } from "../../src/recording/traffic.ts";
import type { RunEnvironment } from "../../src/recording/volatile_fields.ts";
import { CLIENT_LIMITS } from "./settings.ts";

const NO_WAIT = { now: () => 0, random: () => 0, delay: () => Promise.resolve() };

export const THERE: RunEnvironment = {
  directories: { cwd: "/then/work" },
  platform: "linux",
  date: "2026-01-02T03:04:05Z",
};

/** A client for a server, with the lines that are recorded of it. */
export function recordingClient(url: string, mask = (text: string) => text) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const recorder = new Recorder({ write, endpoints: [url], mask, fetch });
  recorder.begin({
    ally: "0",
    time: THERE.date,
    platform: THERE.platform,
    directories: THERE.directories,
    endpoint: url,
    model: "m",
    run: {},
  });
  const options = { ...CLIENT_LIMITS, url, fetch: recorder.fetch, clock: NO_WAIT };
  return { lines, recorder, model: createModel(options) };
}

/** A client that is served by recorded lines. */
export function replayingClient(
  lines: readonly string[],
  environment: RunEnvironment = THERE,
): { model: Model; replay: Replay } {
  const recording = parseRecording(lines.map((line) => `${line}\n`).join(""), "r.jsonl");
  // Nothing listens there: whatever goes out fails.
  const url = "http://127.0.0.1:1/v1";
  const replay = new Replay({ recording, environment, endpoints: [url] });
  return {
    replay,
    model: createModel({ ...CLIENT_LIMITS, url, fetch: replay.fetch, clock: NO_WAIT }),
  };
}
