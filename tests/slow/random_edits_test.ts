import { testRandomEdits } from "../support/random_edits.ts";

testRandomEdits(50);
