import { testScripts } from "../support/real_bash.ts";

testScripts(300);
