//! The record of a campaign.

use indicatif::ProgressBar;
use variant_diff::{
    CampaignRecord, CampaignResult, FindingReport, FoundDifference, FoundRecord, KnownFindings, Observer, Oracle,
    Phase, Regressions, SaveError, Signature, answers, cause_ids, save,
};
use variant_strategies::Packet;

use super::super::terminal::bar as plain_bar;
use super::DiffSetup;

/// Makes records of what a campaign found.
pub(super) struct FindingsWriter<'a> {
    pub(super) setup: &'a DiffSetup<'a>,
    pub(super) expected: KnownFindings,
    /// Name and version of each participant.
    pub(super) versions: Vec<(String, String)>,
    pub(super) report: FindingReport<'a>,
}

impl FindingsWriter<'_> {
    /// What was found.
    pub(super) fn record(&self, result: &CampaignResult, saved: &[(Signature, String)]) -> CampaignRecord {
        let mut findings: Vec<FoundRecord> = Vec::new();
        for finding in &result.findings {
            findings.push(FoundRecord {
                signature: finding.smallest.signature.clone(),
                cause: self.report.cause(finding),
                layouts: self.report.layouts(finding),
                legal: finding.legal.clone(),
                expected: None,
                count: finding.count,
                batch: finding.batch.unwrap_or(0),
                bytes: self.report.packet_length(&finding.smallest.request.input),
                shown: self.report.finding(finding).lines().map(str::to_owned).collect(),
                repeat: self.setup.repeat(finding, saved),
            });
        }
        let ids = cause_ids(&findings);
        for (found, id) in findings.iter_mut().zip(ids).filter(|(found, _)| found.legal.is_none()) {
            found.expected = self.expected.reason(&found.signature, &id).map(str::to_owned);
            found.shown.extend(found.expected.iter().map(|reason| format!("  expected: {}", reason.trim())));
        }
        let digest = self.setup.corpus.digest.clone();
        let (plan, dialect) = (&self.setup.plan, &self.report.dialect.name);
        CampaignRecord::of(plan, dialect, self.versions.clone(), digest, findings, result)
    }
}

/// Shows how far a campaign is, and saves what it finds.
pub(super) struct SavingObserver<'a> {
    pub(super) bar: ProgressBar,
    pub(super) setup: &'a DiffSetup<'a>,
    pub(super) recorder: &'a FindingsWriter<'a>,
    /// The saved cases that can fail, each with the signature of its finding.
    pub(super) saved: Vec<(Signature, String)>,
    pub(super) regressions: Option<&'a mut Regressions>,
}

impl Observer for SavingObserver<'_> {
    fn progress(&mut self, result: &CampaignResult) {
        self.bar.set_position(result.tally.sent);
        let open = result.findings.iter().filter(|finding| finding.legal.is_none()).count();
        self.bar.set_message(format!("{open} findings"));
    }

    fn phase(&mut self, phase: Phase) {
        self.bar.set_prefix(match phase {
            Phase::Sending => "sending".to_owned(),
            Phase::Shrinking { of: 1, .. } => "shrinking".to_owned(),
            Phase::Shrinking { number, of } => format!("shrinking {number} of {of}"),
        });
    }

    fn found(&mut self, finding: &FoundDifference, oracle: &Oracle) -> Result<(), SaveError> {
        let signature = &finding.smallest.signature;
        let is_known = finding.legal.is_some()
            || self.recorder.expected.reason(signature, &self.recorder.report.cause_id(finding)).is_some();
        if let Some(regressions) = self.regressions.as_mut().filter(|_| !is_known) {
            regressions.add(&finding.seed, signature, &Packet(oracle.packet_of(&finding.smallest.request)));
        }
        if let Some(folder) = self.setup.args.save.as_ref().filter(|_| finding.legal.is_none()) {
            let responses = answers(&self.recorder.report.names, &finding.smallest, oracle);
            let case = save(folder, &finding.smallest, &responses, self.setup.specs, oracle)?;
            self.saved.extend(case.map(|case| (finding.smallest.signature.clone(), case)));
        }
        Ok(())
    }
}

pub(super) fn bar(cases: u64) -> ProgressBar {
    let bar = plain_bar("{prefix} {bar:30} {human_pos}/{human_len} requests, {rate}, {msg}, {eta} left");
    bar.set_message("0 findings");
    bar.set_length(cases);
    bar
}
