import { OUTAGE_SCENARIOS } from './outage-scenarios.ts';
import { testScenarios } from './test-scenarios.ts';

testScenarios(OUTAGE_SCENARIOS);
