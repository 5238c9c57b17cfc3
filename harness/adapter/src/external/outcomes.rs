//! The outcomes of requests, as the replies come. They are kept back for a while, because a second reply to the same request
//! makes the first garbled.

use std::time::Instant;

use super::exit::End;
use super::pipeline::{BYTES, Pipeline};
use super::supervisor::IN_FLIGHT;
use variant_values::implementation::{ImplementationError, Outcome};

impl Iterator for Pipeline<'_> {
    type Item = Result<(usize, Outcome), ImplementationError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let bytes = || self.held.iter().map(|(job, _)| job.bytes).sum::<usize>();
            if (self.over || self.held.len() > IN_FLIGHT || bytes() > BYTES)
                && let Some((job, outcome)) = self.held.pop_front()
            {
                return Some(Ok((job.place, outcome)));
            }
            if self.over {
                return self.error.take().map(Err);
            }
            if let Err(error) = self.step() {
                self.external.given_up = Some(error.0.clone());
                self.external.session = None;
                self.error = Some(error);
                self.over = true;
            }
        }
    }
}

impl Drop for Pipeline<'_> {
    /// Replies that nobody waits for any more must not be taken for others.
    fn drop(&mut self) {
        if !self.window.is_empty() {
            self.external.session = None;
        }
    }
}

impl Pipeline<'_> {
    /// Sends what may be sent, and reads what has come.
    fn step(&mut self) -> Result<(), ImplementationError> {
        self.fill()?;
        if self.window.is_empty() {
            self.over = true;
            return Ok(());
        }
        if let Some(end) = self.listen()? {
            self.ended(end)?;
        }
        self.acquit()
    }

    /// Waits for lines and reads them. Returns how the process ended, or that nothing was answered for too long.
    fn listen(&mut self) -> Result<Option<End>, ImplementationError> {
        let longest = self.window.values().map(|job| job.bytes).max().unwrap_or(0);
        let places = self.window.values().map(|job| job.places.as_slice());
        let tally = &self.external.tally;
        let mut patience = tally.patience(longest, places);
        // Of what it does by itself, nobody is blamed.
        if tally.by_itself().is_some()
            && self.window.values().all(|job| !job.is_suspect && !tally.is_risky(&job.places))
        {
            patience /= 2;
        }
        let (until, open) = (self.progress + patience, self.window.len());
        match self.wait(until)? {
            Ok(lines) => {
                for line in lines {
                    if let Err(end) = self.read(line) {
                        return Ok(Some(end));
                    }
                }
            }
            Err(end) => return Ok(Some(end)),
        }
        if self.window.len() < open {
            self.external.tally.replied_after(self.progress.elapsed(), longest);
            self.progress = Instant::now();
        } else if Instant::now() >= until {
            return Ok(Some(self.external.session()?.silence(patience)));
        }
        Ok(None)
    }
}
