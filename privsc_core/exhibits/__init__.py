"""What pages show beside the main figure: computed and drawn here, a folder for what one class alone has."""
