import { testStreams } from "../support/stream_fuzz.ts";

testStreams(10_000);
